//! The background processes: when they run, what they do, and what they survive.

mod databases;
mod faults;
mod lifecycle;
mod limits;
mod scene;
