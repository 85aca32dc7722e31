//! The queue and its workers: what they do, and what they survive.

mod conformance;
