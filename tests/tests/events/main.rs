//! Semantic events: what the database refuses, what jobs find, and what the tools show.

mod cut_off;
mod double;
mod edge;
mod entities;
mod frequent;
mod integrity;
mod jobs;
mod lifecycle;
mod model;
mod paging;
mod replication;
mod scenarios;
mod scene;
mod together;
mod tools;
