//! A project changes its model while calls are under way and while people search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use memento_tests::eventually;
use postgres::Client;
use serde_json::json;

use super::scene::{activate, cluster, endpoints_allowed, note, number, upsert};
use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault};
use crate::fake_endpoint::{FakeEndpoint, Reply, Request};

/// Closed, documents wait; queries never do.
#[derive(Default)]
struct Gate {
    state: Mutex<(bool, usize)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self, request: &Request) {
        let mut state = self.state.lock().unwrap();
        state.1 += usize::from(state.0 && is_document(request));
        while state.0 && is_document(request) {
            state = self.changed.wait(state).unwrap();
        }
    }

    fn close(&self) {
        *self.state.lock().unwrap() = (true, 0);
    }

    fn open(&self) {
        self.state.lock().unwrap().0 = false;
        self.changed.notify_all();
    }

    fn waiting(&self) -> usize {
        self.state.lock().unwrap().1
    }
}

fn is_document(request: &Request) -> bool {
    request.body["input"].to_string().contains("number")
}

/// The other model: the same numbers, the other way round.
fn reversed(text: &str) -> Vec<f32> {
    let mut vector = protocol::vector_of(text);
    vector[0] += 100.0;
    vector.reverse();
    vector
}

fn other_model(request: &Request) -> Reply {
    let texts = request.body["input"].as_array().unwrap();
    let item = |(index, text): (usize, &serde_json::Value)| json!({"index": index, "embedding": reversed(text.as_str().unwrap())});
    let data: Vec<_> = texts.iter().enumerate().map(item).collect();
    Reply::json(json!({"data": data, "usage": {"total_tokens": 7}}).to_string())
}

/// How many vectors a profile has; each is that of its text by its model.
fn right_vectors(client: &mut Client, profile: &str, vector_of: fn(&str) -> Vec<f32>) -> usize {
    let rows = client
        .query(
            "select c.chunk_text, e.embedding::real[]
               from memento.chunk_embedding e join memento.chunk c using (project_id, chunk_id)
               join memento.embedding_profile p using (profile_id) where p.name = $1",
            &[&profile],
        )
        .unwrap();
    for row in &rows {
        assert_eq!(row.get::<_, Vec<f32>>(1), vector_of(row.get(0)), "{profile}: {}", row.get::<_, &str>(0));
    }
    rows.len()
}

fn remember(client: &mut Client, numbers: std::ops::RangeInclusive<i32>) {
    client
        .execute(
            "select memento.remember('the switch text number ' || n) from generate_series($1::int, $2::int) n",
            &[numbers.start(), numbers.end()],
        )
        .unwrap();
}

#[test]
fn nothing_is_mixed_and_searches_always_answer() {
    let cluster = cluster(&endpoints_allowed());
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let gate = Arc::new(Gate::default());
    let shared = Arc::clone(&gate);
    let one = FakeEndpoint::start(move |request| {
        shared.pass(request);
        protocol::vectors(Api::OpenAi, request, Fault::None)
    });
    let other = FakeEndpoint::start(other_model);
    activate(&mut client, "one", "openai", "m", DIMS as i32, &json!({"base_url": one.url()}));
    remember(&mut client, 1..=20);
    eventually("the first is filled", || {
        (right_vectors(&mut client, "one", protocol::vector_of) == 20).then_some(())
    });

    let stop = Arc::new(AtomicBool::new(false));
    let searching: Vec<_> = (0..2)
        .map(|_| {
            let (mut client, stop) = (cluster.connect(&database), Arc::clone(&stop));
            std::thread::spawn(move || {
                let mut searches = 0;
                while !stop.load(Ordering::SeqCst) {
                    let found =
                        client.query("select lanes::text from memento.search('switch')", &[]).unwrap();
                    assert_eq!(found.len(), 10);
                    assert!(
                        found.iter().any(|row| row.get::<_, &str>(0).contains("dense")),
                        "vectors are used"
                    );
                    searches += 1;
                }
                searches
            })
        })
        .collect();

    // A call of the first model is under way all the time.
    gate.close();
    remember(&mut client, 21..=30);
    eventually("the first model is asked", || (gate.waiting() > 0).then_some(()));
    upsert(&mut client, "other", "openai", "m2", DIMS as i32, &json!({"base_url": other.url()})).unwrap();
    client.batch_execute("select memento.embedding_profiles_fill('other')").unwrap();
    eventually("the other is filled", || (right_vectors(&mut client, "other", reversed) == 30).then_some(()));
    client.batch_execute("select memento.embedding_profiles_activate('other')").unwrap();
    assert_eq!(right_vectors(&mut client, "one", protocol::vector_of), 20);
    remember(&mut client, 31..=35);
    gate.open();
    eventually("both are filled, to switch back", || {
        let filled = [
            right_vectors(&mut client, "one", protocol::vector_of),
            right_vectors(&mut client, "other", reversed),
        ];
        (filled == [35, 35]).then_some(())
    });
    for name in ["one", "other", "one"] {
        client.execute("select memento.embedding_profiles_activate($1)", &[&name]).unwrap();
        assert_eq!(note(&mut client, "dense")["ran"], true);
    }
    stop.store(true, Ordering::SeqCst);
    for thread in searching {
        assert!(thread.join().unwrap() > 0);
    }
    let unfinished = "select count(*) from memento.job where kind = 'embed' and state <> 'done'";
    eventually("all jobs are done", || (number(&mut client, unfinished) == 0).then_some(()));
    assert_eq!(right_vectors(&mut client, "one", protocol::vector_of), 35);
}
