//! Semantic events: what the database refuses, what jobs find, and what the tools show.

#[path = "../../../worker/tests/fake_endpoint/mod.rs"]
#[allow(dead_code)] // Each test uses a part of it.
mod fake_endpoint;

mod double;
mod edge;
mod frequent;
mod integrity;
mod lifecycle;
mod model;
mod scenarios;
mod scene;
mod tools;
