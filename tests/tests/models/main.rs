//! Models as the server uses them: the local one in a process of its own, and those of queries over HTTP.

mod breadth;
mod contextual;
mod local;
mod local_faults;
mod local_profiles;
mod looking;
mod metrics;
mod queries;
mod scene;
mod secrets;
mod switch;
