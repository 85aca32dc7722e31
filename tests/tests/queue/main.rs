//! The queue and its workers: what they do, and what they survive.

mod conformance;
#[path = "../../../worker/tests/fake_endpoint/mod.rs"]
#[allow(dead_code)] // The tests of the providers use the rest.
mod fake_endpoint;
mod indexes;
mod kills;
mod meanwhile;
mod profiles;
mod providers;
mod scene;
mod together;
