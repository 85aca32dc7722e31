//! Searches among many chunks: how long they take, what the server does for them, what they miss, and many at once.
//!
//! What is searched is made once and kept below `.memento/bench`, because a million vectors take minutes to index; it is made
//! anew when the extension's schema has changed.

mod by_hand;
pub mod filtered;
pub mod latency;
pub mod plans;
mod random;
mod scene;
mod texts;
pub mod together;
