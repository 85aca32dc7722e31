//! The table of jobs keeps the state machine of docs/queue.md, whoever writes it.

use memento_tests::failure::failure;
use postgres::Client;

use super::scene::cluster;

const STATES: [&str; 5] = ["pending", "running", "done", "failed", "cancelled"];

/// As docs/queue.md draws them.
const STEPS: [(&str, &str); 8] = [
    ("pending", "running"),
    ("pending", "cancelled"),
    ("running", "pending"),
    ("running", "done"),
    ("running", "failed"),
    ("running", "cancelled"),
    ("failed", "pending"),
    ("cancelled", "pending"),
];

const INSERT: &str = "insert into memento.job (project_id, kind, lane, state, attempt, claimable_at, lease_until, claimed_by, finished_at, failed_at)
  select p.project_id, 'probe', 'probe', s.state, 1, s.claimable_at, s.lease_until, s.claimed_by, s.finished_at, s.failed_at
    from memento.project p cross join state s where p.name = 'default' and s.state = $1 returning job_id";

fn with_states() -> (memento_tests::Cluster, Client) {
    let cluster = cluster(&["memento.worker = off"]);
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "create temporary table state (state text, claimable_at timestamptz, lease_until timestamptz, claimed_by text, finished_at timestamptz,
                                           failed_at timestamptz);
             insert into state values ('pending', now(), null, null, null, null), ('running', now(), now() + interval '1 h', 'somebody', null, null),
                                      ('done', null, null, null, now(), null), ('failed', null, null, null, now(), now()), ('cancelled', null, null, null, now(), null)",
        )
        .unwrap();
    (cluster, client)
}

#[test]
fn only_its_steps_are_possible() {
    let (_cluster, mut client) = with_states();
    for from in STATES {
        for to in STATES.into_iter().filter(|to| *to != from) {
            let job: i64 = client.query_one(INSERT, &[&from]).unwrap().get(0);
            let step = client.execute(
                "update memento.job j
                    set (state, claimable_at, lease_until, claimed_by, finished_at, failed_at)
                      = (select s.state, s.claimable_at, s.lease_until, s.claimed_by, s.finished_at, s.failed_at from state s where s.state = $2)
                  where j.job_id = $1",
                &[&job, &to],
            );
            if STEPS.contains(&(from, to)) {
                assert_eq!(step.unwrap(), 1, "{from} to {to}");
            } else {
                let error = failure(step.map(drop));
                assert_eq!(
                    (error.code().code(), error.detail()),
                    ("55000", Some("code=JOB_STATE")),
                    "{from} to {to}"
                );
                assert!(error.hint().is_some());
            }
        }
    }
}

#[test]
fn a_job_has_what_its_state_needs_and_nothing_else() {
    let (_cluster, mut client) = with_states();
    for state in STATES {
        for change in [
            "claimable_at = case when claimable_at is null then now() end",
            "lease_until = case when lease_until is null then now() end",
            "claimed_by = case when claimed_by is null then 'somebody' end",
            "finished_at = case when finished_at is null then now() end",
            "failed_at = case when failed_at is null then now() end",
            "failures = -1",
            "failures = max_failures + 1",
            "lost_leases = -1",
            "errors = '{}'",
            "state = 'unknown'",
        ] {
            let job: i64 = client.query_one(INSERT, &[&state]).unwrap().get(0);
            let changed =
                client.execute(&format!("update memento.job set {change} where job_id = $1"), &[&job]);
            let error = failure(changed.map(drop));
            assert!(["23514", "55000"].contains(&error.code().code()), "{state}, {change}: {error:?}");
        }
        let unknown = client.execute("update memento.job set attempt = 0 where state = $1", &[&state]);
        assert_eq!(unknown.is_err(), ["running", "done"].contains(&state), "{state} without an attempt");
    }
}
