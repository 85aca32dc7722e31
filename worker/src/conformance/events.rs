//! Jobs that look for events: what is stored, and what is not when somebody else has the job.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::model::{Model, Only, answer, inline, later, refused, waiting};
use super::rounds::{drive, runner, runner_with, settings};
use super::{Case, Outcome, Scene, holds, same};
use crate::caller::Spawn;
use crate::models::Models;
use crate::provider::{Chat, ChatRequest, Code, Completed, Embedder, ProviderError};
use crate::runner::{Runner, Settings};
use crate::store::{ChatProfile, Profile};

pub(super) const CASES: &[Case] = &[
    ("what is decided becomes an event with its quote", events_come),
    ("looking again replaces events", looking_again_replaces),
    ("a document that cannot be read by a thread is read later", no_thread),
    ("an answer to a lost attempt stores no events", lost_attempts_store_nothing),
    ("what is found in a document that is gone is dropped", documents_may_go),
    ("a chat model that cannot be made fails its jobs at once", no_model),
    ("rules do not wait for a model, which is not asked more than it takes", rules_do_not_wait),
    ("what nobody waits for is not read on, and holds up nothing", cancelled_while_read),
];

fn reader(spawn: Spawn) -> Runner {
    runner(Only(Ok(Model::new([]))), spawn)
}

fn ingest(scene: &mut Scene, name: &str) -> Outcome {
    let statement = format!(
        "select memento.artifact_ingest('note', 'conformance', 'Decision: We use {name}.', '{name}')"
    );
    Ok(scene.run(&statement)?)
}

fn job(scene: &mut Scene, expression: &str) -> Result<String, super::Failure> {
    let statement = format!(
        "select ({expression})::text from memento.job j where kind = 'extract_events' order by job_id desc limit 1"
    );
    Ok(scene.text(&statement)?)
}

fn events_come(scene: &mut Scene) -> Outcome {
    for name in ["Postgres", "Rust", "tea"] {
        ingest(scene, name)?;
    }
    drive(&mut reader(inline), scene.database)?;
    same("events", scene.count("memento.semantic_event where category = 'Decision'")?, "3".into())?;
    same("quotes", scene.count("memento.event_evidence where chunk_id is not null")?, "3".into())?;
    same("state", job(scene, "state")?, "done".into())?;
    same("result", job(scene, "result ->> 'extractor'")?, "rules".into())?;
    same("calls", scene.count("memento.usage_ledger where role = 'chat'")?, "0".into())
}

fn looking_again_replaces(scene: &mut Scene) -> Outcome {
    ingest(scene, "Postgres")?;
    drive(&mut reader(inline), scene.database)?;
    let run = "select extraction_run_id::text from memento.semantic_event";
    let first = scene.text(run)?;
    scene.run("select memento.event_reextract(artifact_uid, force => true) from memento.item")?;
    drive(&mut reader(inline), scene.database)?;
    same("events", scene.count("memento.semantic_event")?, "1".into())?;
    holds("they are of another run", scene.text(run)? != first)
}

fn no_thread(scene: &mut Scene) -> Outcome {
    ingest(scene, "Postgres")?;
    drive(&mut reader(refused), scene.database)?;
    same(
        "state",
        job(scene, "state || ' ' || failures || ' ' || (errors -> -1 ->> 'code')")?,
        "pending 1 PROVIDER_UNAVAILABLE".into(),
    )?;
    scene.make_due()?;
    drive(&mut reader(inline), scene.database)?;
    same("events", scene.count("memento.semantic_event")?, "1".into())
}

fn lost_attempts_store_nothing(scene: &mut Scene) -> Outcome {
    ingest(scene, "Postgres")?;
    let mut slow = reader(later);
    slow.round(scene.database)?;
    scene.end_leases()?;
    let held = scene.claim_one("other", "extract_events")?;
    same("attempt", held.attempt, 2)?;
    // There may be an embed job before it.
    answer();
    answer();
    slow.round(scene.database)?;
    same("events", scene.count("memento.semantic_event")?, "0".into())?;
    same("state", job(scene, "state || ' ' || claimed_by")?, "running other".into())
}

fn documents_may_go(scene: &mut Scene) -> Outcome {
    ingest(scene, "Postgres")?;
    let mut slow = reader(later);
    slow.round(scene.database)?;
    scene.run("select memento.forget(item_id) from memento.item")?;
    answer();
    answer();
    drive(&mut slow, scene.database)?;
    same("events", scene.count("memento.semantic_event")?, "0".into())?;
    same("jobs", scene.count("memento.job where kind = 'extract_events'")?, "0".into())
}

/// With documents read by a chat model.
fn with_a_model(scene: &mut Scene, case: fn(&mut Scene) -> Outcome) -> Outcome {
    for statement in [
        "insert into memento.chat_profile (name, provider, model, endpoint) values ('conformance', 'nobody', 'm', 'nobody') on conflict do nothing",
        "select memento.set_event_extractor('conformance')",
    ] {
        scene.run(statement)?;
    }
    let outcome = case(scene);
    scene.run("select memento.set_event_extractor(null)")?;
    outcome
}

fn no_model(scene: &mut Scene) -> Outcome {
    with_a_model(scene, |scene| {
        ingest(scene, "Postgres")?;
        drive(&mut reader(inline), scene.database)
    })?;
    same("state", job(scene, "state || ' ' || (errors -> -1 ->> 'code')")?, "failed PROVIDER_CONFIG".into())
}

/// A chat model that takes one call at a time, and counts them.
#[derive(Default)]
struct Single(AtomicUsize);

impl Chat for Single {
    fn complete(&self, _: &ChatRequest) -> Result<Completed, ProviderError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(ProviderError::new(Code::Unavailable, "on purpose"))
    }

    fn concurrency(&self) -> usize {
        1
    }
}

/// That one, and none for vectors.
struct Reading(Arc<Single>);

impl Models for Reading {
    fn embedder(&self, _: &Profile) -> Result<Arc<dyn Embedder>, ProviderError> {
        Err(ProviderError::new(Code::Config, "there is no embedding model here"))
    }

    fn chat(&self, _: &ChatProfile) -> Result<Arc<dyn Chat>, ProviderError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Chat>)
    }
}

fn without_vectors(scene: &mut Scene) -> Outcome {
    Ok(scene.run("update memento.project set active_profile_id = null, candidate_profile_id = null")?)
}

fn rules_do_not_wait(scene: &mut Scene) -> Outcome {
    with_a_model(scene, |scene| {
        without_vectors(scene)?;
        for name in ["Postgres", "Rust", "tea"] {
            ingest(scene, name)?;
        }
        let chat = Arc::new(Single::default());
        let mut runner = runner_with(settings(), Reading(Arc::clone(&chat)), later);
        runner.round(scene.database)?;
        runner.round(scene.database)?;
        same("one at a time", waiting(), 1)?;
        // What waits is read by rules then.
        scene.run("select memento.set_event_extractor(null)")?;
        runner.round(scene.database)?;
        same("by rules, beside it", waiting(), 3)?;
        runner.end(scene.database)?;
        (0..3).for_each(|_| answer());
        same("calls", chat.0.load(Ordering::Relaxed), 0)
    })
}

fn cancelled_while_read(scene: &mut Scene) -> Outcome {
    with_a_model(scene, |scene| {
        without_vectors(scene)?;
        ingest(scene, "Postgres")?;
        // It looks in each round whether it still has what it holds.
        let settings = Settings { lease: Duration::from_millis(1), ..settings() };
        let chat = Arc::new(Single::default());
        let mut runner = runner_with(settings, Reading(Arc::clone(&chat)), later);
        runner.round(scene.database)?;
        same("it is being read", waiting(), 1)?;
        scene.run("select memento.cancel_job(job_id) from memento.job where kind = 'extract_events'")?;
        ingest(scene, "Rust")?;
        scene.run("update memento.job set lost_leases = 5 where state = 'pending'")?;
        let other = scene.job("backfill_tokens", 0)?;
        for _ in 0..3 {
            runner.round(scene.database)?;
        }
        same("no room for another", waiting(), 1)?;
        same("something else is done", scene.state(other)?, "done".into())?;
        answer();
        runner.round(scene.database)?;
        same("now there is room", waiting(), 1)?;
        same("nothing was asked", chat.0.load(Ordering::Relaxed), 0)?;
        same("calls in the ledger", scene.count("memento.usage_ledger")?, "0".into())?;
        runner.end(scene.database)?;
        answer();
        Ok(())
    })
}
