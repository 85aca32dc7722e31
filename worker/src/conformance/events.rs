//! Jobs that look for events: what is stored, and what is not when somebody else has the job.

use super::model::{Model, Only, answer, inline, later, refused};
use super::rounds::{drive, runner};
use super::{Case, Outcome, Scene, holds, same};
use crate::caller::Spawn;
use crate::runner::Runner;

pub(super) const CASES: &[Case] = &[
    ("what is decided becomes an event with its quote", events_come),
    ("looking again replaces events", looking_again_replaces),
    ("a document that cannot be read by a thread is read later", no_thread),
    ("an answer to a lost attempt stores no events", lost_attempts_store_nothing),
    ("what is found in a document that is gone is dropped", documents_may_go),
    ("a chat model that cannot be made fails its jobs at once", no_model),
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

fn no_model(scene: &mut Scene) -> Outcome {
    for statement in [
        "insert into memento.chat_profile (name, provider, model, endpoint) values ('conformance', 'nobody', 'm', 'nobody') on conflict do nothing",
        "select memento.set_event_extractor('conformance')",
    ] {
        scene.run(statement)?;
    }
    let outcome = ingest(scene, "Postgres").and_then(|()| drive(&mut reader(inline), scene.database));
    scene.run("select memento.set_event_extractor(null)")?;
    outcome?;
    same("state", job(scene, "state || ' ' || (errors -> -1 ->> 'code')")?, "failed PROVIDER_CONFIG".into())
}
