//! Answers that end at the limit of tokens, or are refused: they are paid for, and a long one is asked for in parts.

use serde_json::json;

use super::double::{Double, cluster};
use super::model::try_again;
use super::scene::{assert_evidence_holds, count, drain, events, ingest, status, wait_for_job};
use crate::fake_endpoint::Reply;

/// Eight decisions, one in each line.
fn text() -> String {
    (0..8).map(|n| format!("Decision: Use library {n}.\n\n")).collect()
}

fn ended_by(reason: &str) -> Reply {
    let body = json!({
        "choices": [{"message": {"role": "assistant", "content": "{\"events\": ["}, "finish_reason": reason}],
        "usage": {"total_tokens": 8292},
    });
    Reply::json(body.to_string())
}

#[test]
fn what_is_too_much_for_one_answer_is_asked_for_in_halves() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    double.use_it(&mut client);
    double.answer(|asked| {
        let decisions = asked.data.lines().filter(|line| line.starts_with("Decision: ")).count();
        (!asked.is_canonical && decisions > 2).then(|| ended_by("length"))
    });
    let made = ingest(&mut client, "one", &text());
    drain(&mut client);
    let job = status(&mut client, &made);
    assert_eq!((&job["status"], &job["result"]["halved"]), (&"DONE".into(), &3.into()), "{job}");
    let mut quotes: Vec<String> = events(&mut client, &made)
        .iter()
        .map(|event| event["evidence"][0]["quote"].as_str().unwrap().to_owned())
        .collect();
    quotes.sort();
    let expected: Vec<String> = (0..8).map(|n| format!("Decision: Use library {n}.")).collect();
    assert_eq!(quotes, expected);
    assert_eq!(double.calls(), 8, "the whole, its halves, their halves, and all events together");
    assert_evidence_holds(&mut client);
}

/// A document that is left in the middle of a passage goes on there.
#[test]
fn halves_that_were_read_are_not_paid_for_again() {
    let cluster = cluster(true);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    double.use_it(&mut client);
    double.answer(|asked| match asked.number {
        0 => Some(ended_by("length")),
        2 => Some(Reply::Full { status: 429, headers: vec![("retry-after", "1".into())], body: "{}".into() }),
        _ => None,
    });
    let made = ingest(&mut client, "one", &text());
    assert_eq!(wait_for_job(&mut client, &made), "DONE");
    assert_eq!(events(&mut client, &made).len(), 8);
    assert_eq!(double.calls(), 5, "the whole, one half, the other one twice, and all events together");
}

#[test]
fn answers_that_cannot_be_used_are_in_the_ledger_and_count_for_the_budget() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    double.use_it(&mut client);
    let spent = |outcome: &str| {
        format!(
            "select coalesce(sum(tokens), 0)::bigint from memento.usage_ledger where outcome = '{outcome}'"
        )
    };
    double.answer(|_| Some(ended_by("content_filter")));
    let made = ingest(&mut client, "refused", "Decision: We use Postgres.");
    drain(&mut client);
    assert_eq!(status(&mut client, &made)["status"], "FAILED");
    assert_eq!(count(&mut client, &spent("PROVIDER_INPUT_REFUSED")), 8292);

    client.batch_execute("select memento.set_budget(20000)").unwrap();
    double.answer(|_| Some(ended_by("length")));
    let made = ingest(&mut client, "endless", &text());
    drain(&mut client);
    let job = status(&mut client, &made);
    assert_eq!(
        (&job["status"], &job["last_error_cause"], double.calls()),
        (&"PENDING".into(), &"PROVIDER_ANSWER_CUT_OFF".into(), 4),
        "halved three times and no further: {job}"
    );
    assert_eq!(count(&mut client, &spent("PROVIDER_ANSWER_CUT_OFF")), 4 * 8292);
    try_again(&mut client);
    assert_eq!(double.calls(), 4, "the budget is spent");
    let blocker = client
        .query_one("select blocker from memento.job_blockers where kind = 'extract_events'", &[])
        .unwrap();
    assert_eq!(blocker.get::<_, &str>(0), "budget_spent");
}
