//! Claims, leases, failures and pauses: the protocol of the queue.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::{Case, LANE, LEASE, Outcome, Scene, holds, reason, same};
use crate::job::Held;
use crate::store::Tally;

pub(super) const CASES: &[Case] = &[
    ("jobs are claimed in the order in which they are due", claims_come_in_order),
    ("a priority counts as minutes of waiting", priority_counts_as_waiting),
    ("a lease that has ended is claimed again", ended_leases_are_claimed_again),
    ("a late worker can do nothing", late_workers_do_nothing),
    ("a job that loses ten workers has failed", ten_lost_leases_fail),
    ("what takes its workers with it is soon alone", culprits_are_isolated),
    ("failures delay a job and end it", failures_delay_and_end),
    ("a failure without a retry ends a job at once", failures_may_end_at_once),
    ("being told to wait does not count", waiting_does_not_count),
    ("errors are bounded", errors_are_bounded),
    ("a job that is cancelled while it runs cannot be finished", cancelled_while_running),
    ("work that is asked for twice is done once, or again", asked_for_twice),
    ("work that is asked for again survives the failure of the first", asked_for_again_and_failed),
    ("released jobs are as if they had not been taken", released_jobs_are_untouched),
    ("a worker recovers what one of its name has left", recovers_its_own),
    ("a lease can be extended", leases_are_extended),
    ("finished jobs are swept, failed ones later", finished_jobs_are_swept),
    ("a worker says that it is there", heartbeats_are_seen),
];

fn claims_come_in_order(scene: &mut Scene) -> Outcome {
    let (last, first, second) = (scene.job(LANE, 1)?, scene.job(LANE, 30)?, scene.job(LANE, 20)?);
    scene.job(LANE, -60)?;
    let claimed: BTreeSet<i64> = scene.claim("a", LANE, 2)?.iter().map(|job| job.held.job).collect();
    same("the oldest two", claimed, BTreeSet::from([first, second]))?;
    let left: Vec<i64> = scene.claim("b", LANE, 9)?.iter().map(|job| job.held.job).collect();
    same("what is left", left, vec![last])?;
    holds("nothing is due any more", scene.claim("c", LANE, 9)?.is_empty())
}

fn priority_counts_as_waiting(scene: &mut Scene) -> Outcome {
    let old = scene.job(LANE, 1200)?;
    let plain = scene.job(LANE, 0)?;
    scene.run(
        "insert into memento.job (project_id, kind, lane, priority)
         select '00000000-0000-0000-0000-000000000001', 'probe', 'probe', n from unnest(array[10, -10]) n",
    )?;
    let preferred = scene.text("select job_id::text from memento.job where priority = 10")?;
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(scene.claim_one("a", LANE)?.job.to_string());
    }
    same("the order", order, vec![old.to_string(), preferred, plain.to_string()])?;
    holds("the one with a negative priority waits", scene.claim("a", LANE, 1)?.is_empty())
}

fn ended_leases_are_claimed_again(scene: &mut Scene) -> Outcome {
    let first = scene.claimed("a")?;
    holds("nobody else gets it", scene.claim("b", LANE, 1)?.is_empty())?;
    scene.end_leases()?;
    let second = scene.claim_one("b", LANE)?;
    same("it is the next attempt", second, Held { attempt: first.attempt + 1, ..first })?;
    same("the code", scene.column(first.job, "errors -> -1 ->> 'code'")?, "LEASE_LOST".into())?;
    same("the count", scene.column(first.job, "lost_leases || ' ' || failures")?, "1 0".into())
}

fn late_workers_do_nothing(scene: &mut Scene) -> Outcome {
    let late = scene.claimed("a")?;
    scene.end_leases()?;
    let held = scene.claim_one("b", LANE)?;
    let before = scene.column(late.job, "job")?;
    holds("it cannot finish", !scene.store().finish(late, json!({}))?)?;
    let failed = scene.store().fail(late, &reason("LATE"), Some(Duration::ZERO), true)?;
    same("it cannot fail", failed, None)?;
    same("it cannot extend", scene.store().extend(&[late], LEASE)?, vec![])?;
    scene.store().release(&[late], Duration::ZERO)?;
    same("it cannot run it", scene.store().run(late)?, None)?;
    same("nothing has changed", scene.column(late.job, "job")?, before)?;
    holds("the other one can finish", scene.store().finish(held, json!({"n": 1}))?)?;
    holds("once", !scene.store().finish(held, json!({"n": 2}))?)?;
    same("the result", scene.column(held.job, "state || result")?, "done{\"n\": 1}".into())
}

fn ten_lost_leases_fail(scene: &mut Scene) -> Outcome {
    let job = scene.claimed("a")?.job;
    for _ in 0..9 {
        scene.end_leases()?;
        scene.claim_one("a", LANE)?;
    }
    scene.end_leases()?;
    holds("it is not given out an eleventh time", scene.claim("a", LANE, 1)?.is_empty())?;
    same("the state", scene.state(job)?, "failed".into())?;
    let seen = scene.text("select code || ' ' || attempts from memento.failed_jobs")?;
    same("it is seen", seen, "LEASE_LOST 11".into())?;
    scene.run("select memento.retry_job((select job_id from memento.job))")?;
    scene.claim_one("a", LANE).map(drop)
}

fn culprits_are_isolated(scene: &mut Scene) -> Outcome {
    let mut jobs = Vec::new();
    for _ in 0..100 {
        jobs.push(scene.job(LANE, 1)?);
    }
    let culprit = jobs[37];
    while scene.count("memento.job where claimable_at is not null")? != "0" {
        let claimed: Vec<Held> = scene.claim("a", LANE, 64)?.iter().map(|job| job.held).collect();
        if claimed.iter().any(|held| held.job == culprit) {
            // Its worker vanishes, with all that it has.
            scene.end_leases()?;
        } else {
            for held in claimed {
                scene.store().finish(held, json!({}))?;
            }
        }
    }
    same("the jobs", scene.states()?, "done 99, failed 1".into())?;
    same("the culprit", scene.state(culprit)?, "failed".into())?;
    let lost = scene.text("select max(lost_leases)::text from memento.job where state = 'done'")?;
    same("workers that another one lost at most", lost, "3".into())
}

fn failures_delay_and_end(scene: &mut Scene) -> Outcome {
    let job = scene.claimed("a")?.job;
    for failures in 1..=5 {
        let held = if failures == 1 {
            Held { project: super::PROJECT, job, attempt: 1 }
        } else {
            scene.make_due()?;
            scene.claim_one("a", LANE)?
        };
        let state = scene.store().fail(held, &reason("AGAIN"), Some(Duration::from_secs(600)), true)?;
        let expected = if failures < 5 { "pending" } else { "failed" };
        same("the state", state.as_deref(), Some(expected))?;
        same("the count", scene.column(job, "failures")?, failures.to_string())?;
        holds("it is not due", scene.claim("a", LANE, 1)?.is_empty())?;
        if failures < 5 {
            let minutes = scene.column(job, "round(extract(epoch from claimable_at - now()) / 60)")?;
            same("the delay", minutes, "10".into())?;
        }
    }
    Ok(())
}

fn failures_may_end_at_once(scene: &mut Scene) -> Outcome {
    let held = scene.claimed("a")?;
    let state = scene.store().fail(held, &reason("WRONG"), None, true)?;
    same("the state", state.as_deref(), Some("failed"))?;
    same("the row", scene.column(held.job, "failures || (errors -> -1 ->> 'code')")?, "1WRONG".into())
}

fn waiting_does_not_count(scene: &mut Scene) -> Outcome {
    let mut held = scene.claimed("a")?;
    for _ in 0..20 {
        let state = scene.store().fail(held, &reason("WAIT"), Some(Duration::ZERO), false)?;
        same("the state", state.as_deref(), Some("pending"))?;
        held = scene.claim_one("a", LANE)?;
    }
    same("the count", scene.column(held.job, "failures || ' ' || lost_leases")?, "0 0".into())
}

fn errors_are_bounded(scene: &mut Scene) -> Outcome {
    let mut held = scene.claimed("a")?;
    let mut long = reason("LONG");
    long.message = "x".repeat(100_000);
    long.hint = Some("y".repeat(100_000));
    for _ in 0..12 {
        scene.store().fail(held, &long, Some(Duration::ZERO), false)?;
        held = scene.claim_one("a", LANE)?;
    }
    let kept = scene.column(held.job, "jsonb_array_length(errors)")?;
    same("how many", kept, "10".into())?;
    let ends =
        scene.column(held.job, "(errors -> 0 ->> 'attempt') || ' ' || (errors -> -1 ->> 'attempt')")?;
    same("the last ones", ends, "3 12".into())?;
    let size =
        scene.column(held.job, "length(errors -> -1 ->> 'message') + length(errors -> -1 ->> 'hint')")?;
    same("their size", size, "1000".into())
}

fn cancelled_while_running(scene: &mut Scene) -> Outcome {
    let held = scene.claimed("a")?;
    scene.run("select memento.cancel_job((select job_id from memento.job))")?;
    same("it cannot be extended", scene.store().extend(&[held], LEASE)?, vec![])?;
    holds("it cannot be finished", !scene.store().finish(held, json!({}))?)?;
    same("the state", scene.state(held.job)?, "cancelled".into())?;
    scene.run("select memento.retry_job((select job_id from memento.job))")?;
    holds("the attempt before is still over", !scene.store().finish(held, json!({}))?)?;
    let again = scene.claim_one("b", LANE)?;
    holds("the next one is not", scene.store().finish(again, json!({}))?)
}

fn asked_for_twice(scene: &mut Scene) -> Outcome {
    scene.remember("one", "the ledger room")?;
    scene.run("delete from memento.job")?;
    scene.run("select memento.add_domain_terms(array['ledger room'])")?;
    scene.run("select memento.add_domain_terms(array['ledger'])")?;
    same("one job", scene.states()?, "pending 1".into())?;
    let held = scene.claim_one("a", "backfill_tokens")?;
    scene.run("select memento.add_domain_terms(array['the room'])")?;
    same("no other one", scene.states()?, "running 1".into())?;
    same("it is done", scene.store().run(held)?.as_deref(), Some("done"))?;
    same("and again", scene.states()?, "pending 1".into())?;
    let held = scene.claim_one("a", "backfill_tokens")?;
    scene.store().run(held)?;
    same("and no more", scene.states()?, "done 1".into())
}

fn asked_for_again_and_failed(scene: &mut Scene) -> Outcome {
    scene.run("select memento.add_domain_terms(array['ledger hall'])")?;
    let held = scene.claim_one("a", "backfill_tokens")?;
    scene.run("select memento.add_domain_terms(array['ledger house'])")?;
    let state = scene.store().fail(held, &reason("WRONG"), None, true)?;
    same("the second request is still there", state.as_deref(), Some("pending"))?;
    same("it has not failed yet", scene.column(held.job, "failures || ' ' || run_again")?, "0 false".into())?;
    let held = scene.claim_one("a", "backfill_tokens")?;
    let state = scene.store().fail(held, &reason("WRONG"), None, true)?;
    same("it fails as well", state.as_deref(), Some("failed"))
}

fn released_jobs_are_untouched(scene: &mut Scene) -> Outcome {
    let held = scene.claimed("a")?;
    scene.store().release(&[held], Duration::ZERO)?;
    let row = scene.column(held.job, "state || failures || lost_leases || errors")?;
    same("the row", row, "pending00[]".into())?;
    let again = scene.claim_one("b", LANE)?;
    same("the next attempt", again.attempt, 2)
}

fn recovers_its_own(scene: &mut Scene) -> Outcome {
    let (lost, other) = (scene.claimed("gone")?, scene.claimed("alive")?);
    scene.store().recover("gone")?;
    let claimed: Vec<i64> = scene.claim("gone", LANE, 9)?.iter().map(|job| job.held.job).collect();
    same("only its own", claimed, vec![lost.job])?;
    holds("the other's is the other's", scene.store().finish(other, json!({}))?)
}

fn leases_are_extended(scene: &mut Scene) -> Outcome {
    let held = scene.claimed("a")?;
    let lost = Held { attempt: 7, ..held };
    scene.end_leases()?;
    let kept = scene.store().extend(&[held, lost], Duration::from_secs(60))?;
    same("those that are held", kept, vec![held.job])?;
    holds("nobody else gets it", scene.claim("b", LANE, 1)?.is_empty())
}

fn finished_jobs_are_swept(scene: &mut Scene) -> Outcome {
    for end in ["done", "failed"] {
        for days in [0, 8, 91] {
            let held = scene.claimed("a")?;
            match end {
                "done" => drop(scene.store().finish(held, json!({}))?),
                _ => drop(scene.store().fail(held, &reason("WRONG"), None, true)?),
            }
            scene.run(&format!(
                "update memento.job set finished_at = now() - interval '{days} days' where job_id = {}",
                held.job
            ))?;
        }
    }
    let mut swept = 0;
    for _ in 0..3 {
        swept += scene.store().maintain(2)?;
    }
    same("how many went", swept, 3)?;
    let left = scene.text(
        "select string_agg(state || extract(day from now() - finished_at), ' ' order by state, finished_at desc)
           from memento.job where kind = 'probe'",
    )?;
    same("what is left", left, "done0 failed0 failed8".into())
}

fn heartbeats_are_seen(scene: &mut Scene) -> Outcome {
    let tally =
        Tally { in_flight: 3, done: 5, failed: 1, last_error: Some("WRONG".into()), ..Tally::default() };
    scene.store().heartbeat("conformance", &["embed"], true, &tally)?;
    scene.store().heartbeat("conformance", &["embed"], true, &Tally { last_error: None, ..tally })?;
    let seen = scene.text(
        "select is_alive || ' ' || in_flight || ' ' || jobs_done || ' ' || jobs_failed || coalesce(last_error, '')
           from memento.worker_status where worker_id = 'conformance'",
    )?;
    same("what is seen", seen, "true 3 5 1".into())
}
