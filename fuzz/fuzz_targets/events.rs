#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| memento_fuzz::target::events(data));
