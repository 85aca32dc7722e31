//! A database that fails in the middle of a round, at each of its transactions in turn.

use std::sync::Arc;

use uuid::Uuid;

use super::model::{Model, Only, Script, inline};
use super::rounds::{drive, runner, vectors_are_right};
use super::{Case, Failure, Outcome, Scene, holds, same};
use crate::caller::Wake;
use crate::database::{Database, DatabaseError, DatabaseResult, Work};
use crate::index::IndexBuild;
use crate::provider::{Code, ProviderError};
use crate::runner::Wait;

pub(super) const CASES: &[Case] = &[
    ("a connection that breaks before any commit loses nothing", broken_before),
    ("a connection that breaks after any commit loses nothing", broken_after),
    ("a statement that is refused anywhere leaves nothing held", refused),
    ("a connection that is down for several rounds loses nothing", down_for_long),
    ("what the server lacks for a moment is no failure of a job", nobodys_fault),
];

/// When and how it fails.
#[derive(Clone, Copy)]
struct Trouble {
    from: usize,
    times: usize,
    after_commit: bool,
    sqlstate: &'static str,
}

/// A database of which some transactions fail.
struct Failing<'a> {
    inner: &'a mut dyn Database,
    trouble: Trouble,
    seen: usize,
}

impl Database for Failing<'_> {
    fn transaction(&mut self, work: &mut Work) -> DatabaseResult<()> {
        let number = self.seen;
        self.seen += 1;
        let Trouble { from, times, after_commit, sqlstate } = self.trouble;
        if !(from..from + times).contains(&number) {
            return self.inner.transaction(work);
        }
        if after_commit {
            self.inner.transaction(work)?;
        }
        Err(DatabaseError { sqlstate: sqlstate.into(), message: "on purpose".into() })
    }

    fn command(&mut self, command: &str) -> DatabaseResult<()> {
        self.inner.command(command)
    }

    fn can_run_concurrently(&self) -> bool {
        self.inner.can_run_concurrently()
    }

    fn begin_index(&mut self, profile: Uuid, wake: &Wake) -> DatabaseResult<Box<dyn IndexBuild>> {
        self.inner.begin_index(profile, wake)
    }
}

/// Works with trouble until nothing is under way. Gives how many transactions there were.
fn work(scene: &mut Scene, trouble: Trouble) -> Result<usize, Failure> {
    for table in ["job", "item", "endpoint_pause", "usage_ledger"] {
        scene.run(&format!("delete from memento.{table}"))?;
    }
    for number in 0..3 {
        scene.remember(&number.to_string(), &format!("text number {number}"))?;
    }
    scene.run(
        "select memento.add_domain_terms(array['term ' || replace(gen_random_uuid()::text, '-', '')])",
    )?;
    // One of the two calls fails, so that this way is gone too.
    let failure = ProviderError::new(Code::Unavailable, "on purpose");
    let model = Model::of(2, [Script::Fails(failure)]);
    let mut runner = runner(Only(Ok(Arc::clone(&model))), inline);
    let mut failing = Failing { inner: scene.database, trouble, seen: 0 };
    for _ in 0..200 {
        let wait = runner.round(&mut failing);
        if wait.is_ok_and(|wait| wait != Wait::Not) && runner.tally().in_flight == 0 {
            break;
        }
    }
    let seen = failing.seen;
    holds("nothing is under way", runner.tally().in_flight == 0)?;
    if trouble.after_commit {
        // Whose claim was committed without its being told has jobs that it does not know of: their lease ends by itself.
        scene.end_leases()?;
    } else {
        let running = scene.count("memento.job where state = 'running'")?;
        same(&format!("left behind by trouble at {}", trouble.from), running, "0".into())?;
    }
    // The call that fails may still be to come.
    for _ in 0..2 {
        scene.make_due()?;
        drive(&mut runner, scene.database)?;
    }
    same("jobs", scene.states()?, "done 4".into())?;
    same("vectors", scene.count("memento.chunk_embedding")?, "3".into())?;
    vectors_are_right(scene)?;
    Ok(seen)
}

/// At each transaction in turn, or at every so manieth.
fn everywhere(scene: &mut Scene, trouble: Trouble, step: usize) -> Outcome {
    let mut from = 0;
    loop {
        let seen = work(scene, Trouble { from, ..trouble })?;
        from += step;
        if from >= seen {
            return holds("there were transactions to fail", seen > 10);
        }
    }
}

fn broken_before(scene: &mut Scene) -> Outcome {
    everywhere(scene, Trouble { from: 0, times: 1, after_commit: false, sqlstate: "08006" }, 1)
}

fn broken_after(scene: &mut Scene) -> Outcome {
    everywhere(scene, Trouble { from: 0, times: 1, after_commit: true, sqlstate: "08006" }, 1)
}

fn refused(scene: &mut Scene) -> Outcome {
    everywhere(scene, Trouble { from: 0, times: 1, after_commit: false, sqlstate: "53100" }, 1)
}

fn down_for_long(scene: &mut Scene) -> Outcome {
    everywhere(scene, Trouble { from: 0, times: 7, after_commit: false, sqlstate: "57P01" }, 4)
}

fn nobodys_fault(scene: &mut Scene) -> Outcome {
    for sqlstate in ["53100", "55P03", "40P01"] {
        let (mut from, mut seen) = (0, 1);
        while from < seen {
            for table in ["job", "item"] {
                scene.run(&format!("delete from memento.{table}"))?;
            }
            scene.remember("one", "a first text")?;
            let mut runner = runner(Only(Ok(Model::new([]))), inline);
            let trouble = Trouble { from, times: 1, after_commit: false, sqlstate };
            let mut failing = Failing { inner: scene.database, trouble, seen: 0 };
            for _ in 0..20 {
                // It fails by its error once, and goes on in the next round.
                let _ = runner.round(&mut failing);
            }
            seen = failing.seen;
            let counted = scene.count("memento.job where failures > 0")?;
            same(&format!("counted after {sqlstate} at {from}"), counted, "0".into())?;
            scene.make_due()?;
            drive(&mut runner, scene.database)?;
            same("jobs", scene.states()?, "done 1".into())?;
            from += 1;
        }
    }
    Ok(())
}
