//! The loop: what it does with answers, right ones and others.

use std::sync::Arc;
use std::time::Duration;

use super::model::{Model, Only, POISON, Script, answer, inline, later, refused, waiting};
use super::{Case, Failure, LEASE, Outcome, Scene, holds, same};
use crate::caller::Spawn;
use crate::database::Database;
use crate::models::Models;
use crate::provider::{Code, ProviderError};
use crate::runner::{Runner, Settings, Wait};

pub(super) const CASES: &[Case] = &[
    ("what is remembered gets its vectors", vectors_come),
    ("jobs with more texts than are read at once are all done", more_than_is_read_at_once),
    ("a text that is refused does not take others with it", poison_is_found),
    ("a rate limit pauses the endpoint and burns nothing", rate_limits_pause),
    ("a wrong configuration fails at once", invalid_fails_at_once),
    ("a model that cannot be made fails its jobs at once", no_model_fails),
    ("a model that is not there yet is waited for", not_ready_waits),
    ("a failure that may pass is tried again, five times", failures_are_tried_again),
    ("a provider that panics is a failure like others", panics_are_failures),
    ("a thread that cannot be started is a failure like others", no_thread_is_a_failure),
    ("vectors that cannot be stored are a failure of their jobs", short_answers),
    ("a set-up of its own that is wrong leaves the jobs to others", own_set_up_is_wrong),
    ("what a worker was lost with is worked on alone", suspects_are_alone),
    ("no more is done than is asked for", no_more_than_asked_for),
    ("an answer after the end changes nothing", late_answers),
    ("an answer that has come when the worker ends is used", answers_at_the_end),
    ("lanes of one endpoint share its calls", endpoints_are_shared),
    ("an answer to a lost attempt does not touch the next one", answers_to_lost_attempts),
    ("what the lease was lost of is dropped", lost_leases_are_dropped),
];

/// A loop whose leases do not end by themselves.
pub(super) fn runner(models: Only, spawn: Spawn) -> Runner {
    runner_with(settings(), models, spawn)
}

pub(super) fn runner_with(settings: Settings, models: impl Models + 'static, spawn: Spawn) -> Runner {
    Runner::new(settings, Box::new(models), spawn, || {})
}

pub(super) fn settings() -> Settings {
    Settings {
        worker: "conformance".into(),
        lease: LEASE,
        concurrency: 2,
        batch: 64,
        maintenance: LEASE,
        heartbeat: None,
        is_servers_own: true,
        most: u64::MAX,
    }
}

/// Rounds until nothing is under way and nothing due.
pub(super) fn drive(runner: &mut Runner, database: &mut dyn Database) -> Outcome {
    for _ in 0..1000 {
        if runner.round(database)? != Wait::Not && runner.tally().in_flight == 0 {
            return Ok(());
        }
    }
    Err(Failure(format!("it does not come to an end, with {:?}", runner.tally())))
}

/// Remembers texts and works them off.
fn work(scene: &mut Scene, texts: &[&str], model: &Arc<Model>, spawn: Spawn) -> Outcome {
    for (place, text) in texts.iter().enumerate() {
        scene.remember(&place.to_string(), text)?;
    }
    drive(&mut runner(Only(Ok(Arc::clone(model))), spawn), scene.database)
}

fn fails(code: Code) -> Script {
    Script::Fails(ProviderError::new(code, "on purpose").with_hint("do not"))
}

/// No chunk has a vector of another text, by the model that gives the same for the same.
pub(super) fn vectors_are_right(scene: &mut Scene) -> Outcome {
    let wrong = scene.count(
        "memento.chunk_embedding e join memento.chunk c using (project_id, chunk_id)
          where e.embedding::real[] <> (select v.embedding from memento.embed(array[c.chunk_text], 'document') v)",
    )?;
    same("wrong vectors", wrong, "0".into())
}

fn vectors_come(scene: &mut Scene) -> Outcome {
    let model = Model::new([]);
    let texts: Vec<String> = (0..9).map(|number| format!("text number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    work(scene, &texts, &model, inline)?;
    same("jobs", scene.states()?, "done 9".into())?;
    same("calls", model.calls(), 3)?;
    same("in the ledger", scene.count("memento.usage_ledger where outcome = 'ok'")?, "3".into())?;
    same("vectors", scene.count("memento.chunk_embedding")?, "9".into())?;
    vectors_are_right(scene)
}

fn more_than_is_read_at_once(scene: &mut Scene) -> Outcome {
    for number in 0..6 {
        scene.remember(&number.to_string(), &format!("text number {number}"))?;
    }
    // 3,606 chunks in all, more than twice as many as are read at once.
    scene.run(
        "insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text,
                                    tech_tokens, rules_version, terms_version)
         select c.project_id, c.version_id, n, 0, 1, 1, c.block_kind, 'text ' || n, '{}', c.rules_version, c.terms_version
           from memento.chunk c cross join generate_series(1, 600) n",
    )?;
    drive(&mut runner(Only(Ok(Model::of(512, []))), inline), scene.database)?;
    same("jobs", scene.states()?, "done 6".into())?;
    same("vectors", scene.count("memento.chunk_embedding")?, "3606".into())?;
    same(
        "at the first attempt",
        scene.text("select max(attempt)::text from memento.job where kind = 'embed'")?,
        "1".into(),
    )
}

fn poison_is_found(scene: &mut Scene) -> Outcome {
    let bad = format!("this is {POISON}");
    let model = Model::new([]);
    work(scene, &["one", "two", &bad, "four", "five", "six"], &model, inline)?;
    same("jobs", scene.states()?, "done 5, failed 1".into())?;
    let failed = scene.text("select code || ' ' || attempts from memento.failed_jobs")?;
    same("the one", failed, "PROVIDER_INPUT_REFUSED 1".into())?;
    same("vectors", scene.count("memento.chunk_embedding")?, "5".into())
}

fn rate_limits_pause(scene: &mut Scene) -> Outcome {
    let texts = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    for (asked, seconds) in [(None, "30"), (Some(Duration::from_secs(77)), "77")] {
        scene.clear()?;
        let limited = ProviderError { retry_after: asked, ..ProviderError::new(Code::RateLimited, "429") };
        let model = Model::new([Script::Fails(limited)]);
        work(scene, &texts, &model, inline)?;
        let burnt = scene.count("memento.job where failures > 0 or lost_leases > 0")?;
        same("burnt", burnt, "0".into())?;
        let pause = scene.text(
            "select round(extract(epoch from paused_until - now()) / 10)::int::text from memento.endpoint_pause",
        )?;
        same("the pause", pause.as_str(), if seconds == "30" { "3" } else { "8" })?;
        holds("nothing is held", scene.count("memento.job where state = 'running'")? == "0")?;
        // The second call was under way already.
        holds("it was left alone", model.calls() <= 2)?;
        scene.run("delete from memento.endpoint_pause")?;
        scene.make_due()?;
        drive(&mut runner(Only(Ok(model)), inline), scene.database)?;
        same("jobs", scene.states()?, "done 9".into())?;
    }
    Ok(())
}

fn invalid_fails_at_once(scene: &mut Scene) -> Outcome {
    let model = Model::new([fails(Code::Unauthorized)]);
    work(scene, &["one", "two"], &model, inline)?;
    same("jobs", scene.states()?, "failed 2".into())?;
    let said = scene.text("select distinct code || ' ' || hint from memento.failed_jobs")?;
    same("with a hint", said, "PROVIDER_UNAUTHORIZED do not".into())
}

fn no_model_fails(scene: &mut Scene) -> Outcome {
    scene.remember("0", "one")?;
    let error = ProviderError::new(Code::Key, "there is no key");
    drive(&mut runner(Only(Err(error)), inline), scene.database)?;
    same("jobs", scene.states()?, "failed 1".into())
}

fn not_ready_waits(scene: &mut Scene) -> Outcome {
    scene.remember("0", "one")?;
    let error = ProviderError::new(Code::ModelNotReady, "being loaded");
    drive(&mut runner(Only(Err(error.clone())), inline), scene.database)?;
    same("released", scene.states()?, "pending 1".into())?;
    same("paused", scene.text("select code from memento.endpoint_pause")?, "MODEL_NOT_READY".into())?;
    // A worker that starts asks again.
    let model = Model::new([Script::Fails(error)]);
    drive(&mut runner(Only(Ok(Arc::clone(&model))), inline), scene.database)?;
    same("asked", model.calls(), 1)?;
    same(
        "nothing is burnt",
        scene.text("select failures::text from memento.job where kind = 'embed'")?,
        "0".into(),
    )?;
    scene.make_due()?;
    drive(&mut runner(Only(Ok(model)), inline), scene.database)?;
    same("jobs", scene.states()?, "done 1".into())
}

fn failures_are_tried_again(scene: &mut Scene) -> Outcome {
    let model = Model::new(vec![fails(Code::Unavailable); 5]);
    work(scene, &["one"], &model, inline)?;
    for attempt in 2..=5 {
        same("it waits", scene.states()?, "pending 1".into())?;
        scene.make_due()?;
        drive(&mut runner(Only(Ok(Arc::clone(&model))), inline), scene.database)?;
        same("calls", model.calls(), attempt)?;
    }
    same("jobs", scene.states()?, "failed 1".into())
}

fn own_set_up_is_wrong(scene: &mut Scene) -> Outcome {
    let elsewhere = Settings { is_servers_own: false, worker: "elsewhere".into(), ..settings() };
    let texts: Vec<String> = (0..12).map(|number| format!("text number {number}")).collect();
    for text in &texts {
        scene.remember(text, text)?;
    }
    let no_key = Only(Err(ProviderError::new(Code::Key, "there is no key")));
    let refused = Only(Ok(Model::new(vec![fails(Code::Unauthorized); 2])));
    let no_model = Only(Err(ProviderError::new(Code::ModelNotReady, "there is no model")));
    for (models, code) in
        [(no_key, "PROVIDER_KEY"), (refused, "PROVIDER_UNAUTHORIZED"), (no_model, "MODEL_NOT_READY")]
    {
        let settings = Settings { heartbeat: Some(LEASE), ..elsewhere.clone() };
        let mut runner = runner_with(settings, models, inline);
        drive(&mut runner, scene.database)?;
        let attempts = "select max(attempt)::text from memento.job where kind = 'embed'";
        let before = scene.text(attempts)?;
        drive(&mut runner, scene.database)?;
        same("it does not take them again", scene.text(attempts)?, before)?;
        let whole = scene.count(
            "memento.job where state = 'pending' and failures = 0 and lost_leases = 0 and errors = '[]'",
        )?;
        same("jobs as they were", whole, "12".into())?;
        same("pauses", scene.count("memento.endpoint_pause")?, "0".into())?;
        let said = scene.text(
            "select last_error || ' ' || (unusable -> profile_id::text ->> 'code')
               from memento.worker_status, memento.embedding_profile where worker_id = 'elsewhere' and name = 'conformance'",
        )?;
        same("it says so", said, format!("{code} {code}"))?;
    }
    drive(&mut runner_with(elsewhere, Only(Ok(Model::new([]))), inline), scene.database)?;
    same("another one does them", scene.states()?, "done 12".into())
}

fn suspects_are_alone(scene: &mut Scene) -> Outcome {
    for number in 0..4 {
        scene.remember(&number.to_string(), &format!("text number {number}"))?;
    }
    scene.run(
        "update memento.job set lost_leases = 5 where kind = 'embed' and job_id = (select min(job_id) + 1 from memento.job where kind = 'embed')",
    )?;
    let mut runner = runner(Only(Ok(Model::new([]))), later);
    runner.round(scene.database)?;
    same("those before it", runner.tally().in_flight, 3)?;
    runner.round(scene.database)?;
    same("it waits", runner.tally().in_flight, 3)?;
    answer();
    runner.round(scene.database)?;
    same("it is alone", runner.tally().in_flight, 1)?;
    scene.remember("after", "another text")?;
    runner.round(scene.database)?;
    same("it stays alone", runner.tally().in_flight, 1)?;
    answer();
    runner.round(scene.database)?;
    answer();
    drive(&mut runner, scene.database)?;
    same("jobs", scene.states()?, "done 5".into())
}

fn no_more_than_asked_for(scene: &mut Scene) -> Outcome {
    for number in 0..9 {
        scene.remember(&number.to_string(), &format!("text number {number}"))?;
    }
    let settings = Settings { most: 5, batch: 2, ..settings() };
    drive(&mut runner_with(settings, Only(Ok(Model::new([]))), inline), scene.database)?;
    same("jobs", scene.states()?, "done 5, pending 4".into())
}

fn panics_are_failures(scene: &mut Scene) -> Outcome {
    let model = Model::new([Script::Panics]);
    work(scene, &["one"], &model, inline)?;
    let row = scene.text(
        "select state || failures || (errors -> -1 ->> 'code') from memento.job where kind = 'embed'",
    )?;
    same("the job", row, "pending1PROVIDER_UNAVAILABLE".into())
}

fn no_thread_is_a_failure(scene: &mut Scene) -> Outcome {
    work(scene, &["one", "two", "three", "four", "five", "six"], &Model::new([]), refused)?;
    let rows = scene.text("select distinct state || failures from memento.job where kind = 'embed'")?;
    same("the jobs", rows, "pending1".into())
}

fn short_answers(scene: &mut Scene) -> Outcome {
    let model = Model::new([Script::IsShort]);
    work(scene, &["one", "two"], &model, inline)?;
    let row = scene.text("select distinct state || failures || (errors -> -1 ->> 'code') from memento.job where kind = 'embed'")?;
    same("the jobs", row, "pending1WRITE_FAILED".into())?;
    same(
        "it was a call",
        scene.count("memento.usage_ledger where outcome = 'ok' and items = 2")?,
        "1".into(),
    )?;
    same("vectors", scene.count("memento.chunk_embedding")?, "0".into())
}

fn late_answers(scene: &mut Scene) -> Outcome {
    scene.remember("0", "one")?;
    let mut runner = runner(Only(Ok(Model::new([]))), later);
    runner.round(scene.database)?;
    same("under way", runner.tally().in_flight, 1)?;
    runner.end(scene.database)?;
    same("given back", scene.states()?, "pending 1".into())?;
    let call =
        scene.text("select outcome || ' ' || items || ' ' || (tokens > 0) from memento.usage_ledger")?;
    same("it was a call", call, "WORKER_STOPPED 1 true".into())?;
    answer();
    drop(runner);
    same("vectors", scene.count("memento.chunk_embedding")?, "0".into())
}

fn answers_at_the_end(scene: &mut Scene) -> Outcome {
    scene.remember("0", "one")?;
    let model = Model::new([]);
    let mut runner = runner(Only(Ok(Arc::clone(&model))), inline);
    runner.round(scene.database)?;
    runner.end(scene.database)?;
    same("jobs", scene.states()?, "done 1".into())?;
    same("calls", (model.calls(), scene.count("memento.usage_ledger where outcome = 'ok'")?), (1, "1".into()))
}

fn endpoints_are_shared(scene: &mut Scene) -> Outcome {
    scene.run("select memento.embedding_profiles_fill('conformance-other')")?;
    for number in 0..20 {
        scene.remember(&number.to_string(), &format!("text number {number}"))?;
    }
    // As many calls at once as there are lanes: none waits for the other's end.
    let mut runner = runner(Only(Ok(Model::new([]))), later);
    runner.round(scene.database)?;
    same("calls under way", waiting(), 2)?;
    for _ in 0..5 {
        answer();
        runner.round(scene.database)?;
        same("calls under way", waiting(), 2)?;
    }
    let both = scene.text("select count(distinct profile_id)::text from memento.chunk_embedding")?;
    same("both get on", both, "2".into())?;
    while waiting() > 0 {
        answer();
        runner.round(scene.database)?;
    }
    same("jobs", scene.states()?, "done 40".into())
}

fn answers_to_lost_attempts(scene: &mut Scene) -> Outcome {
    scene.remember("0", "one")?;
    let model = Model::new([fails(Code::Unavailable)]);
    // It looks in each round whether it still has what it holds.
    let settings = Settings { lease: Duration::from_millis(1), ..settings() };
    let mut runner = runner_with(settings, Only(Ok(model)), later);
    runner.round(scene.database)?;
    scene.end_leases()?;
    let lane = format!("embed:{}", scene.profile()?.profile);
    scene.claim_one("b", &lane)?;
    scene.end_leases()?;
    // The other one has vanished as well: it takes the job again, while the first call is still under way.
    runner.round(scene.database)?;
    same(
        "the third attempt",
        scene.text("select attempt::text from memento.job where kind = 'embed'")?,
        "3".into(),
    )?;
    answer();
    runner.round(scene.database)?;
    same("it is still held", runner.tally().in_flight, 1)?;
    answer();
    drive(&mut runner, scene.database)?;
    same("jobs", scene.states()?, "done 1".into())?;
    same("failures", scene.text("select failures::text from memento.job where kind = 'embed'")?, "0".into())
}

fn lost_leases_are_dropped(scene: &mut Scene) -> Outcome {
    scene.remember("0", "one")?;
    let models = Only(Ok(Model::new([])));
    let mut runner = runner(models, later);
    runner.round(scene.database)?;
    scene.run("select memento.cancel_job((select job_id from memento.job where kind = 'embed'))")?;
    answer();
    drive(&mut runner, scene.database)?;
    same("jobs", scene.states()?, "cancelled 1".into())?;
    same("vectors", scene.count("memento.chunk_embedding")?, "0".into())
}
