//! What these tests share: a cluster whose workers come back quickly, a model endpoint that does as it is told, and what must hold.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};

use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;

use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault};
use crate::fake_endpoint::{FakeEndpoint, Reply, Request};

/// A cluster that may call the endpoints of tests, with more lines in its configuration.
pub fn cluster(lines: &[&str]) -> Cluster {
    let mut all: Vec<String> = [
        "memento.worker_restart_delay = '20ms'",
        "memento.allowed_hosts = '*'",
        "memento.allow_private_hosts = on",
        "memento.job_lease = '2s'",
    ]
    .map(str::to_owned)
    .into();
    all.extend(lines.iter().map(|line| (*line).to_owned()));
    Cluster::start_with(Server::from_environment(), Settings { lines: all, ..Settings::default() })
}

/// Whether the long versions are wanted: as many kills and crashes as the project promises to survive.
pub fn long() -> bool {
    std::env::var_os("MEMENTO_LONG").is_some()
}

/// An endpoint of the OpenAI kind whose answers a test chooses.
pub struct Endpoint {
    server: FakeEndpoint,
    gate: Arc<Gate>,
}

/// What the endpoint does with requests: decided by the test, read by its threads.
#[derive(Default)]
struct Gate {
    answer: Mutex<Option<Arc<Answer>>>,
    /// Requests that wait for the gate, and whether it is closed.
    waiting: Mutex<(usize, bool)>,
    changed: Condvar,
}

/// An answer other than the right one; none for the right one.
type Answer = dyn Fn(&Request) -> Option<Reply> + Send + Sync;

impl Endpoint {
    pub fn start() -> Self {
        let gate = Arc::new(Gate::default());
        let shared = Arc::clone(&gate);
        Self { server: FakeEndpoint::start(move |request| shared.reply(request)), gate }
    }

    /// From now on, what is said for a request is answered; none: as it should be.
    pub fn answer(&self, answer: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static) {
        *self.gate.answer.lock().unwrap() = Some(Arc::new(answer));
    }

    /// From now on, all answers are right.
    pub fn heal(&self) {
        *self.gate.answer.lock().unwrap() = None;
    }

    /// From now on, requests wait.
    pub fn close(&self) {
        self.gate.waiting.lock().unwrap().1 = true;
    }

    /// Waits until as many requests wait.
    pub fn wait_for(&self, requests: usize) {
        eventually("the model is asked", || (self.gate.waiting.lock().unwrap().0 >= requests).then_some(()));
    }

    /// Lets them go on.
    pub fn open(&self) {
        self.gate.waiting.lock().unwrap().1 = false;
        self.gate.changed.notify_all();
    }

    /// How often each text was sent.
    pub fn seen(&self) -> BTreeMap<String, usize> {
        let mut seen = BTreeMap::new();
        for request in self.server.requests() {
            for text in texts(&request) {
                *seen.entry(text).or_default() += 1;
            }
        }
        seen
    }

    /// Makes the profile `double` of this endpoint and uses it.
    pub fn activate(&self, client: &mut Client) {
        self.activate_as(client, "double");
    }

    /// Makes a profile of this endpoint.
    pub fn make(&self, client: &mut Client, name: &str) {
        client
            .execute(
                "select memento.embedding_profiles_upsert($3, 'openai', 'm', $1, config => jsonb_build_object('base_url', $2::text))",
                &[&(DIMS as i32), &self.server.url(), &name],
            )
            .unwrap();
    }

    /// The same as `activate` under another name.
    pub fn activate_as(&self, client: &mut Client, name: &str) {
        self.make(client, name);
        client.execute("select memento.embedding_profiles_activate($1, force => true)", &[&name]).unwrap();
        // The one before would be kept filled.
        client.batch_execute("update memento.project set candidate_profile_id = null").unwrap();
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.open();
    }
}

impl Gate {
    fn reply(&self, request: &Request) -> Reply {
        let mut waiting = self.waiting.lock().unwrap();
        waiting.0 += 1;
        while waiting.1 {
            waiting = self.changed.wait(waiting).unwrap();
        }
        waiting.0 -= 1;
        drop(waiting);
        let answer = self.answer.lock().unwrap().clone();
        answer
            .and_then(|answer| answer(request))
            .unwrap_or_else(|| protocol::vectors(Api::OpenAi, request, Fault::None))
    }
}

/// The texts of a request.
pub fn texts(request: &Request) -> Vec<String> {
    request.body["input"]
        .as_array()
        .map(|texts| texts.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect())
        .unwrap_or_default()
}

/// Remembers as many short texts, each a version with one chunk and one job.
pub fn remember(client: &mut Client, name: &str, count: i32) {
    client
        .execute(
            "select memento.remember($1 || ' text number ' || n, source_system => $1, source_id => n::text) from generate_series(1, $2) n",
            &[&name, &count],
        )
        .unwrap();
}

/// Embed jobs in each state.
pub fn states(client: &mut Client) -> BTreeMap<String, i64> {
    client
        .query("select state, count(*) from memento.job where kind = 'embed' group by state", &[])
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect()
}

/// Waits until no embed job is open.
pub fn wait_until_settled(client: &mut Client) {
    eventually("no job is open", || {
        let states = states(client);
        (!states.contains_key("pending") && !states.contains_key("running")).then_some(())
    });
}

/// The last failure of the only job that has one, with its state.
pub fn last_error(client: &mut Client) -> Option<(String, String)> {
    client
        .query_opt(
            "select state, errors -> -1 ->> 'code' from memento.job
              where kind = 'embed' and state <> 'running' and errors <> '[]' order by job_id desc limit 1",
            &[],
        )
        .unwrap()
        .map(|row| (row.get(0), row.get(1)))
}

/// Every chunk of a latest version has one vector, that of its own text, and every job is done.
pub fn assert_complete(client: &mut Client, chunks: i64) {
    assert_eq!(states(client), BTreeMap::from([("done".to_owned(), chunks)]));
    assert_eq!(assert_vectors_are_right(client), chunks);
}

/// No vector belongs to another text, none is there twice. Gives how many there are.
pub fn assert_vectors_are_right(client: &mut Client) -> i64 {
    let rows = client
        .query(
            "select c.chunk_text, e.embedding::real[]
               from memento.chunk_embedding e join memento.chunk c using (project_id, chunk_id)",
            &[],
        )
        .unwrap();
    for row in &rows {
        let (text, vector): (&str, Vec<f32>) = (row.get(0), row.get(1));
        assert_eq!(vector, protocol::vector_of(text), "the vector of another text than {text:?}");
    }
    rows.len() as i64
}
