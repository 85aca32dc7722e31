//! What the metrics show of the database.

use super::Store;
use crate::database::DatabaseResult;
use crate::metrics::{Depth, Pause};

impl Store<'_> {
    /// How full the queue is.
    pub fn depths(&mut self) -> DatabaseResult<Vec<Depth>> {
        self.rows(
            "select d.kind, d.state, d.jobs, d.oldest from memento._queue_depths() d",
            &[],
            |mut row| {
                Ok(Depth {
                    kind: row.text()?,
                    state: row.text()?,
                    jobs: row.bigint()?,
                    oldest: row.double()?,
                })
            },
        )
    }

    /// The endpoints that are left alone.
    pub fn pauses(&mut self) -> DatabaseResult<Vec<Pause>> {
        self.rows(
            "select p.endpoint, p.code, p.seconds from memento._paused_endpoints() p",
            &[],
            |mut row| Ok(Pause { endpoint: row.text()?, code: row.text()?, seconds: row.double()? }),
        )
    }
}
