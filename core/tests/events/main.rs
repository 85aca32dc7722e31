//! Evidence that the rules find events and nothing else: labelled sentences, the scenarios of the specification, and what
//! holds for any text.

#![allow(clippy::unwrap_used)] // Also in functions that only tests call.

mod labelled;
