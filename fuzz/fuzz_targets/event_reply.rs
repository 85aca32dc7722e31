#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| memento_fuzz::target::event_reply(data));
