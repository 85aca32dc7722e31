//! The queue and its workers: what they do, and what they survive.

mod conformance;
mod kills;
mod meanwhile;
mod providers;
mod scene;
mod together;
