//! What is told on stderr: that something was called, how it ended and how long it took. Never what was said.

use std::time::Duration;

use crate::failure::Failure;

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Nothing but why the program ends.
    Nothing,
    /// What failed.
    #[default]
    Failures,
    /// Every call.
    Calls,
}

/// Where it is told.
#[derive(Clone, Copy, Debug)]
pub struct Journal(pub Detail);

impl Journal {
    /// A request that was answered.
    pub fn answered(self, what: &str, trace: &str, took: Duration) {
        if self.0 >= Detail::Calls {
            eprintln!("memento-mcp: {what} ok ms={} trace_id={trace}", took.as_millis());
        }
    }

    /// One that was not. A name that names nothing may be anything, so names are only told of what is known.
    pub fn failed(self, what: &str, trace: &str, took: Duration, failure: &Failure) {
        if self.0 >= Detail::Failures {
            let what = if failure.code == "TOOL_NOT_FOUND" { "unknown tool" } else { what };
            let sqlstate = failure.sqlstate.as_deref().unwrap_or("-");
            eprintln!(
                "memento-mcp: {what} failed code={} sqlstate={sqlstate} ms={} trace_id={trace}",
                failure.code,
                took.as_millis()
            );
        }
    }

    /// Something about the program itself.
    pub fn note(self, what: &str) {
        if self.0 >= Detail::Failures {
            eprintln!("memento-mcp: {what}");
        }
    }
}
