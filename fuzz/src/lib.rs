//! The targets of the tests of core, for libFuzzer.

#[path = "../../core/tests/evidence/invariant.rs"]
mod invariant;
#[path = "../../core/tests/evidence/target.rs"]
pub mod target;
