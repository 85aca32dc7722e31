//! Semantic events: what the database refuses, what jobs find, and what the tools show.

mod double;
mod edge;
mod frequent;
mod integrity;
mod lifecycle;
mod model;
mod scenarios;
mod scene;
mod tools;
