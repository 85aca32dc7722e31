//! Endpoints that misbehave: what the job says, and that it is done once they behave again.

use memento_tests::eventually;
use postgres::Client;

use super::scene::{
    Endpoint, assert_vectors_are_right, cluster, last_error, remember, states, texts, wait_until_settled,
};
use crate::fake_endpoint::protocol::{self, Api, Fault};
use crate::fake_endpoint::{Reply, Request};

/// What an endpoint does, and what becomes of the job: its state and code.
type Misbehaviour = (fn(&Request) -> Reply, &'static str, &'static str);

fn status(status: u16, headers: Vec<(&'static str, String)>) -> Reply {
    Reply::Full { status, headers, body: "{}".into() }
}

fn wrong(request: &Request, fault: Fault) -> Reply {
    protocol::vectors(Api::OpenAi, request, fault)
}

const MISBEHAVIOURS: [Misbehaviour; 15] = [
    (|_| Reply::Hang, "pending", "PROVIDER_TIMEOUT"),
    (|_| Reply::Drip, "pending", "PROVIDER_TIMEOUT"),
    (|_| Reply::Close, "pending", "PROVIDER_UNAVAILABLE"),
    (|_| Reply::Cut("{\"data\": []}".into()), "pending", "PROVIDER_UNAVAILABLE"),
    (|_| Reply::Endless { announced: false }, "pending", "PROVIDER_ANSWER_TOO_LARGE"),
    (|_| Reply::Endless { announced: true }, "pending", "PROVIDER_ANSWER_TOO_LARGE"),
    (|request| wrong(request, Fault::OneLess), "pending", "PROVIDER_BAD_ANSWER"),
    (|request| wrong(request, Fault::NotANumber), "pending", "PROVIDER_BAD_ANSWER"),
    (|request| wrong(request, Fault::NotJson), "pending", "PROVIDER_BAD_ANSWER"),
    (|request| wrong(request, Fault::WrongDims), "failed", "PROVIDER_DIMS"),
    (|_| status(401, vec![]), "failed", "PROVIDER_UNAUTHORIZED"),
    (|_| status(404, vec![]), "failed", "PROVIDER_NOT_FOUND"),
    (|_| status(500, vec![]), "pending", "PROVIDER_UNAVAILABLE"),
    (|_| status(429, vec![]), "pending", "PROVIDER_RATE_LIMITED"),
    (|_| status(429, vec![("retry-after", "600".into())]), "pending", "PROVIDER_RATE_LIMITED"),
];

fn number(client: &mut Client, query: &str) -> i64 {
    client.query_one(query, &[]).unwrap().get(0)
}

#[test]
fn every_misbehaviour_is_recorded_and_passes() {
    let cluster = cluster(&["memento.model_timeout = '1s'"]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    for (place, (reply, state, code)) in MISBEHAVIOURS.into_iter().enumerate() {
        endpoint.answer(move |request| Some(reply(request)));
        remember(&mut client, &format!("case {place}"), 1);
        let error = eventually(code, || last_error(&mut client));
        assert_eq!(error, (state.to_owned(), code.to_owned()), "case {place}");
        let row = client
            .query_one(
                "select job_id, failures::int, (select count(*) from memento.endpoint_pause where code = 'PROVIDER_RATE_LIMITED')
                   from memento.job where errors <> '[]' and kind = 'embed'",
                &[],
            )
            .unwrap();
        let (job, failures, pauses): (i64, i32, i64) = (row.get(0), row.get(1), row.get(2));
        let is_limit = code == "PROVIDER_RATE_LIMITED";
        assert_eq!(
            (failures, pauses),
            (i32::from(!is_limit), i64::from(is_limit)),
            "case {place}: burnt, paused"
        );
        if is_limit {
            let blocker =
                client.query_one("select blocker from memento.job_blockers where kind = 'embed'", &[]);
            assert_eq!(blocker.unwrap().get::<_, &str>(0), "endpoint_paused");
        }
        assert_eq!(assert_vectors_are_right(&mut client), place as i64, "case {place}: nothing is stored");
        endpoint.heal();
        client.batch_execute("delete from memento.endpoint_pause").unwrap();
        client.execute("select memento.retry_job($1)", &[&job]).unwrap();
        wait_until_settled(&mut client);
        assert_eq!(
            assert_vectors_are_right(&mut client),
            place as i64 + 1,
            "case {place}: it is done afterwards"
        );
        client.batch_execute("update memento.job set errors = '[]'").unwrap();
    }
    let failed = number(&mut client, "select count(*) from memento.usage_ledger where outcome <> 'ok'");
    assert!(failed >= MISBEHAVIOURS.len() as i64, "{failed} failed calls are in the ledger");
}

#[test]
fn a_poison_document_fails_alone() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.answer(|request| {
        texts(request).iter().any(|text| text.contains("number 13")).then(|| status(400, vec![]))
    });
    remember(&mut client, "some", 40);
    wait_until_settled(&mut client);
    assert_eq!(states(&mut client), [("done".to_owned(), 39), ("failed".to_owned(), 1)].into());
    assert_eq!(assert_vectors_are_right(&mut client), 39);
    let row = client.query_one("select code, attempts from memento.failed_jobs", &[]).unwrap();
    assert_eq!((row.get(0), row.get(1)), ("PROVIDER_INPUT_REFUSED", 1));
}

/// The same where the endpoint does not say that it is the text: it is with fewer others each time it is tried.
#[test]
fn a_text_that_an_endpoint_stumbles_over_fails_alone() {
    let faults: [fn(&Request) -> Reply; 2] =
        [|_| status(500, vec![]), |request| wrong(request, Fault::NotANumber)];
    for fault in faults {
        let cluster = cluster(&[]);
        let mut client = cluster.connect(&cluster.database());
        let endpoint = Endpoint::start();
        endpoint.activate(&mut client);
        endpoint.answer(move |request| {
            texts(request).iter().any(|text| text.contains("number 13")).then(|| fault(request))
        });
        remember(&mut client, "some", 40);
        eventually("no job is open", || {
            client
                .batch_execute("update memento.job set claimable_at = now() where state = 'pending'; select memento._wake_worker()")
                .unwrap();
            let states = states(&mut client);
            (states.get("done").copied().unwrap_or(0) + states.get("failed").copied().unwrap_or(0) == 40)
                .then_some(())
        });
        assert_eq!(states(&mut client), [("done".to_owned(), 39), ("failed".to_owned(), 1)].into());
        assert_eq!(assert_vectors_are_right(&mut client), 39);
    }
}

/// One endpoint that is paused does not hold up the other.
#[test]
fn endpoints_pause_by_themselves() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let (limited, other) = (Endpoint::start(), Endpoint::start());
    limited.answer(|_| Some(status(429, vec![("retry-after", "600".into())])));
    limited.activate(&mut client);
    remember(&mut client, "waiting", 3);
    eventually("it is paused", || {
        (number(&mut client, "select count(*) from memento.endpoint_pause") == 1).then_some(())
    });
    client
        .batch_execute(
            "select memento.create_project('elsewhere');
             select memento.use_project('elsewhere')",
        )
        .unwrap();
    other.activate_as(&mut client, "other");
    remember(&mut client, "passing", 3);
    let expected = [("done".to_owned(), 3), ("pending".to_owned(), 3)].into();
    eventually("the other is done", || (states(&mut client) == expected).then_some(()));
    assert_eq!(number(&mut client, "select count(*) from memento.chunk_embedding"), 3);
}
