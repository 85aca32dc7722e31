//! A model of the OpenAI kind that a test plays.

use std::sync::{Arc, Condvar, Mutex};

use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;
use serde_json::{Value, json};

use crate::fake_endpoint::{FakeEndpoint, Reply, Request};

/// An answer other than the right one, for the number of the call; none for the right one.
type Script = dyn Fn(&Asked) -> Option<Reply> + Send + Sync;

/// What the model was asked.
pub struct Asked {
    /// How many calls there were before.
    pub number: usize,
    /// Whether all events are to be put together, rather than found in a passage.
    pub is_canonical: bool,
    /// Whether it is asked once more, with what was wrong.
    pub is_repair: bool,
    /// What is between the marks.
    pub data: String,
    /// Everything that was said.
    pub messages: Vec<String>,
}

#[derive(Default)]
struct State {
    script: Option<Arc<Script>>,
    calls: usize,
    waiting: usize,
    is_closed: bool,
}

/// A model that finds the lines that begin with a category: `Decision: ...`.
pub struct Double {
    server: FakeEndpoint,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Double {
    pub fn start() -> Self {
        let state: Arc<(Mutex<State>, Condvar)> = Arc::default();
        let shared = Arc::clone(&state);
        Self { server: FakeEndpoint::start(move |request| reply(&shared, request)), state }
    }

    /// Lets the project of a session be read by it.
    pub fn use_it(&self, client: &mut Client) {
        client
            .execute(
                "select memento.chat_profiles_upsert('double', 'openai', 'm', jsonb_build_object('base_url', $1::text))",
                &[&self.server.url()],
            )
            .unwrap();
        client.batch_execute("select memento.set_event_extractor('double')").unwrap();
    }

    /// From now on, what is said for a call is answered; none: as it should be.
    pub fn answer(&self, script: impl Fn(&Asked) -> Option<Reply> + Send + Sync + 'static) {
        let mut state = self.state.0.lock().unwrap();
        state.script = Some(Arc::new(script));
        state.calls = 0;
    }

    /// From now on, all answers are right.
    pub fn heal(&self) {
        self.answer(|_| None);
    }

    /// How many calls there were since the script was last changed.
    pub fn calls(&self) -> usize {
        self.state.0.lock().unwrap().calls
    }

    /// From now on, calls wait.
    pub fn close(&self) {
        self.state.0.lock().unwrap().is_closed = true;
    }

    pub fn wait_for_call(&self) {
        eventually("the model is asked", || (self.state.0.lock().unwrap().waiting > 0).then_some(()));
    }

    pub fn open(&self) {
        self.state.0.lock().unwrap().is_closed = false;
        self.state.1.notify_all();
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.open();
    }
}

fn reply(state: &(Mutex<State>, Condvar), request: &Request) -> Reply {
    let (number, script) = {
        let mut held = state.0.lock().unwrap();
        held.waiting += 1;
        while held.is_closed {
            held = state.1.wait(held).unwrap();
        }
        held.waiting -= 1;
        held.calls += 1;
        (held.calls - 1, held.script.clone())
    };
    let asked = asked(number, &request.body);
    script.and_then(|script| script(&asked)).unwrap_or_else(|| says(&right(&asked).to_string()))
}

fn asked(number: usize, body: &Value) -> Asked {
    let messages: Vec<String> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    // The system's message, the question, and perhaps the answer with what is wrong with it.
    let data = messages[1]
        .split_once(" begins\n")
        .map_or("", |(_, rest)| rest)
        .rsplit_once("\nDATA-")
        .map_or("", |(data, _)| data);
    Asked {
        number,
        is_canonical: body["response_format"]["json_schema"]["name"] == "canonical_events",
        is_repair: messages.len() > 2,
        data: data.to_owned(),
        messages,
    }
}

/// What a good model answers.
pub fn right(asked: &Asked) -> Value {
    if asked.is_canonical {
        return canonical(asked);
    }
    let events: Vec<Value> = asked
        .data
        .lines()
        .filter(|line| ["Decision: ", "Commitment: "].iter().any(|label| line.starts_with(label)))
        .map(event)
        .collect();
    json!({"entities": [{"name": "Alice Chen", "type": "person", "aliases": ["Alice"]}], "events": events})
}

/// One event, quoted by a line.
pub fn event(line: &str) -> Value {
    let (category, said) = line.split_once(": ").unwrap();
    json!({
        "category": category, "narrative": format!("It is said that {said}"), "subject": {"type": "other", "ref": "the plan"},
        "actors": [{"ref": "Alice Chen", "role": "owner"}], "event_time": null, "confidence": 0.9, "evidence": {"quote": line},
    })
}

/// Puts together what has the same narrative.
fn canonical(asked: &Asked) -> Value {
    let events: Vec<Value> = asked.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut together: Vec<Value> = Vec::new();
    for event in events {
        match together
            .iter_mut()
            .find(|known| known["subject"] == event["subject"] && known["narrative"] == event["narrative"])
        {
            Some(known) => known["sources"].as_array_mut().unwrap().push(event["number"].clone()),
            None => {
                let mut kept = event.clone();
                kept["sources"] = json!([event["number"]]);
                together.push(kept);
            }
        }
    }
    json!({"canonical_events": together})
}

/// An answer with this text.
pub fn says(text: &str) -> Reply {
    let body = json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 11, "total_tokens": 111},
    });
    Reply::json(body.to_string())
}

/// A cluster that may call it, with or without a worker.
pub fn cluster(with_worker: bool) -> Cluster {
    let mut lines: Vec<String> = [
        "memento.allowed_hosts = '*'",
        "memento.allow_private_hosts = on",
        "memento.model_timeout = '2s'",
        "memento.worker_restart_delay = '20ms'",
    ]
    .map(str::to_owned)
    .into();
    if !with_worker {
        lines.push("memento.worker = off".into());
    }
    Cluster::start_with(Server::from_environment(), Settings { preload: true, lines })
}
