//! The queue and its workers: what they do, and what they survive.

mod conformance;
mod indexes;
mod kills;
mod meanwhile;
mod profiles;
mod providers;
mod scene;
mod together;
