//! What holds jobs back: pauses of kinds and of endpoints, and budgets.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::{Case, LANE, Outcome, Scene, holds, reason, same};
use crate::job::Held;
use crate::store::Call;

pub(super) const CASES: &[Case] = &[
    ("a paused kind is not claimed", paused_kinds_wait),
    ("what comes back while its kind is paused waits for the end of the pause", pauses_hold),
    ("a job that was parked when its pause was over already goes on", overlooked_jobs_go_on),
    ("a pause of everything does not hold indexes, which are of all projects", indexes_are_not_paused),
    ("a spent budget stops models and nothing else", budgets_stop_models),
    ("what a budget held back goes on when that changes", budgets_let_go),
    ("what waits for a budget that is gone goes on with the maintenance", overlooked_budgets),
    ("what is spent is added up, and counted anew from time to time", spending_is_added_up),
    ("a paused endpoint delays its lanes", paused_endpoints_delay),
];

fn paused_kinds_wait(scene: &mut Scene) -> Outcome {
    scene.job("ingest", 0)?;
    let held = scene.claim_one("a", "ingest")?;
    let waiting = scene.job("ingest", 0)?;
    scene.run("select memento.pause_queue('ingest', 'on purpose')")?;
    scene.store().release(&[held], Duration::ZERO)?;
    holds("nothing is claimed", scene.claim("a", "ingest", 9)?.is_empty())?;
    let blockers = scene.text("select string_agg(distinct blocker, ' ') from memento.job_blockers")?;
    same("it is said why", blockers, "paused".into())?;
    scene.run("select memento.resume_queue('ingest')")?;
    let claimed: BTreeSet<i64> = scene.claim("a", "ingest", 9)?.iter().map(|job| job.held.job).collect();
    same("both are claimed", claimed, BTreeSet::from([held.job, waiting]))
}

fn pauses_hold(scene: &mut Scene) -> Outcome {
    let (released, failed, again) =
        (scene.job("ingest", 4)?, scene.job("ingest", 3)?, scene.job("ingest", 2)?);
    let held: Vec<Held> = scene.claim("a", "ingest", 3)?.iter().map(|job| job.held).collect();
    let held = |job: i64| held.iter().find(|held| held.job == job).copied().unwrap_or(held[0]);
    scene.run(&format!("update memento.job set run_again = true where job_id = {again}"))?;
    scene.run("select memento.pause_queue('ingest', 'on purpose')")?;
    scene.store().release(&[held(released)], Duration::ZERO)?;
    scene.store().fail(held(failed), &reason("AGAIN"), Some(Duration::ZERO), true)?;
    scene.store().finish(held(again), json!({}))?;
    let cancelled = scene.job("ingest", 0)?;
    scene.run(&format!("select memento.cancel_job({cancelled})"))?;
    scene.run(&format!("select memento.retry_job({cancelled})"))?;
    let waiting = scene.count("memento.job where state = 'pending' and claimable_at = 'infinity'")?;
    same("parked", waiting, "4".into())?;
    // One that came when nobody knew of the pause yet does not hide what is due behind it.
    scene.job("ingest", 1)?;
    holds("it is not claimed", scene.claim("a", "ingest", 1)?.is_empty())?;
    holds("it is out of the way", scene.store().due_lanes("a", true)?.is_empty())?;
    holds("nobody waits for that", scene.text("select memento.wait_until_idle('0')::text")? == "true")?;
    scene.run("select memento.resume_queue('ingest')")?;
    same("all go on", scene.claim("a", "ingest", 9)?.len(), 5)
}

/// As it is where who parked it committed later than who ended the pause.
fn overlooked_jobs_go_on(scene: &mut Scene) -> Outcome {
    let (first, second) = (scene.job("ingest", 0)?, scene.job("backfill_tokens", 0)?);
    scene.run("select memento.pause_queue('backfill_tokens', 'on purpose')")?;
    scene.run("update memento.job set claimable_at = 'infinity'")?;
    holds("that is waited for", scene.text("select memento.wait_until_idle('0')::text")? == "false")?;
    let due: Vec<String> = scene.store().due_lanes("a", true)?.into_iter().map(|lane| lane.name).collect();
    same("what is due", due, vec!["ingest".to_owned()])?;
    same("it can be taken", scene.claim_one("a", "ingest")?.job, first)?;
    same("the other is paused", scene.column(second, "claimable_at")?, "infinity".into())
}

fn indexes_are_not_paused(scene: &mut Scene) -> Outcome {
    let index = scene.job("build_index", 0)?;
    same("what waits", scene.text("select memento.pause_queue(null, 'on purpose')::text")?, "0".into())?;
    same("it is taken", scene.claim_one("a", "build_index")?.job, index)?;
    scene.run("select memento.pause_queue('build_index', 'on purpose')")?;
    scene.job("build_index", 0)?;
    holds("unless it is meant", scene.claim("a", "build_index", 9)?.is_empty())?;
    scene.run("select memento.resume_queue()")?;
    holds("and until it is meant", scene.claim("a", "build_index", 9)?.is_empty())?;
    scene.run("select memento.resume_queue('build_index')")?;
    scene.claim_one("a", "build_index").map(drop)
}

fn overlooked_budgets(scene: &mut Scene) -> Outcome {
    scene.remember("one", "a first text")?;
    let lane = format!("embed:{}", scene.profile()?.profile);
    for period in ["day", "month"] {
        scene.run(&format!(
            "update memento.job set claimable_at = memento._period_end('{period}') where state = 'pending'"
        ))?;
        scene.store().maintain(1)?;
        let held = scene.claim_one("a", &lane)?;
        scene.store().release(&[held], Duration::ZERO)?;
    }
    Ok(())
}

fn spending_is_added_up(scene: &mut Scene) -> Outcome {
    scene.run("select memento.set_budget(1000, 'day')")?;
    let (profile, probe) = (scene.profile()?, scene.claimed("a")?);
    let spend = |scene: &mut Scene, before: &str, tokens: u64, spent: &str| -> Outcome {
        scene.run(before)?;
        let call = Call {
            held: probe,
            outcome: "ok".into(),
            items: 1,
            tokens,
            sent: 1,
            received: 1,
            duration: Duration::from_millis(3),
        };
        scene.store().record_call(&(&profile).into(), &call)?;
        same(before, scene.text("select spent_tokens::text from memento.budget")?, spent.into())
    };
    spend(scene, "select 1", 60, "60")?;
    let query = "insert into memento.usage_ledger (project_id, role, provider, model, endpoint, outcome, items, tokens, bytes_sent, bytes_received, duration_ms)
                 select project_id, 'embed', 'p', 'm', 'e', 'ok', 1, 30, 0, 0, 0 from memento.budget";
    spend(scene, query, 5, "65")?;
    spend(scene, "update memento.budget set counted_at = counted_at - interval '2 minutes'", 1, "96")?;
    spend(scene, "select memento.set_budget(2000, 'day')", 1, "97")?;
    let next_day = "with past as (update memento.usage_ledger set called_at = called_at - interval '1 day')
                    update memento.budget set counted_at = counted_at - interval '1 day'";
    spend(scene, next_day, 7, "7")
}

/// A job that calls a model, with the budget of a period spent.
fn spent(scene: &mut Scene, period: &str) -> Outcome {
    scene.run(&format!("select memento.set_budget(0, '{period}')"))?;
    let lane = format!("embed:{}", scene.profile()?.profile);
    holds("models are not called", scene.claim("a", &lane, 9)?.is_empty())?;
    holds("nothing is due", scene.store().due_lanes("a", true)?.iter().all(|lane| lane.due_in > 0.0))
}

fn budgets_let_go(scene: &mut Scene) -> Outcome {
    scene.remember("one", "a first text")?;
    let lane = format!("embed:{}", scene.profile()?.profile);
    for (periods, end) in [
        (&["day"][..], "null"),
        (&["day"][..], "1000, 'day'"),
        (&["day"][..], "1000, 'month'"),
        (&["month", "day"][..], "null"),
        (&["day", "month"][..], "1000, 'day'"),
    ] {
        for period in periods {
            spent(scene, period)?;
        }
        let parked = scene.text(
            "select (claimable_at = spent_until)::text from memento.job, memento.budget where kind = 'embed'",
        )?;
        same("until the end of the period", parked.as_str(), "true")?;
        holds("nobody waits for that", scene.text("select memento.wait_until_idle('0')::text")? == "true")?;
        scene.run(&format!("select memento.set_budget({end})"))?;
        let held = scene.claim_one("a", &lane)?;
        scene.store().release(&[held], Duration::ZERO)?;
    }
    Ok(())
}

fn budgets_stop_models(scene: &mut Scene) -> Outcome {
    scene.run("select memento.set_budget(100, 'day')")?;
    scene.remember("one", "a first text")?;
    let (profile, probe) = (scene.profile()?, scene.claimed("a")?);
    let call = |tokens| Call {
        held: probe,
        outcome: "ok".into(),
        items: 1,
        tokens,
        sent: 1,
        received: 1,
        duration: Duration::from_millis(3),
    };
    scene.store().record_call(&(&profile).into(), &call(99))?;
    let lane = format!("embed:{}", profile.profile);
    let held = scene.claim_one("a", &lane)?;
    scene.store().release(&[held], Duration::ZERO)?;
    scene.store().record_call(&(&profile).into(), &call(1))?;
    scene.remember("two", "a second text")?;
    holds("models are not called", scene.claim("a", &lane, 9)?.is_empty())?;
    scene.job(LANE, 0)?;
    scene.claim_one("a", LANE)?;
    scene.run("select memento.set_budget(1000, 'day')")?;
    same("with a larger one they are", scene.claim("a", &lane, 9)?.len(), 2)
}

fn paused_endpoints_delay(scene: &mut Scene) -> Outcome {
    scene.remember("one", "a first text")?;
    let endpoint = scene.profile()?.endpoint;
    for (pause, code) in [(600, "PROVIDER_RATE_LIMITED"), (60, "PROVIDER_UNAVAILABLE")] {
        scene.store().pause_endpoint(&endpoint, Duration::from_secs(pause), &reason(code))?;
    }
    let due_in = |scene: &mut Scene| -> Result<f64, super::Failure> {
        let lanes = scene.store().due_lanes("a", true)?;
        lanes.first().map(|lane| lane.due_in).ok_or_else(|| super::Failure("no lane".into()))
    };
    let delay = due_in(scene)?;
    holds("the longer pause holds", (590.0..=602.0).contains(&delay))?;
    scene.store().unpause_models()?;
    holds("it is not a model that was not there", due_in(scene)? > 590.0)?;
    scene.run("update memento.endpoint_pause set code = 'MODEL_NOT_READY'")?;
    scene.store().unpause_models()?;
    holds("that one may be there now", due_in(scene)? <= 0.0)
}
