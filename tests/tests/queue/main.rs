//! The queue and its workers: what they do, and what they survive.

mod acting;
mod conformance;
mod fill;
mod indexes;
mod kills;
mod meanwhile;
mod profiles;
mod providers;
mod scene;
mod states;
mod together;
