//! Chunks of a document that are embedded knowing each other, all the way from the document to the endpoint.

use std::sync::{Arc, Mutex};

use memento_tests::eventually;
use postgres::Client;
use serde_json::{Value, json};

use super::scene::{activate, cluster, endpoints_allowed, number};
use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault};
use crate::fake_endpoint::{FakeEndpoint, Request};

/// A specification of several chunks.
fn document() -> String {
    let section = |number: usize| {
        format!(
            "## Part {number}\n\n{}\n\n",
            format!("The ledger of part {number} is kept in order. ").repeat(60)
        )
    };
    (1..=6).map(section).collect()
}

/// Stores a specification, whose chunks belong together, and a note, whose chunks stand alone; waits for all vectors and gives the
/// texts of the chunks of each, in order.
fn store(client: &mut Client) -> (Vec<String>, Vec<String>) {
    client
        .execute("select memento.canonical_upsert('spec', $1, doc_class => 'app_spec')", &[&document()])
        .unwrap();
    client.execute("select memento.remember($1)", &[&document().replace("ledger", "note")]).unwrap();
    eventually("all chunks have vectors", || {
        let missing = "select count(*) - (select count(*) from memento.chunk_embedding) from memento.chunk";
        (number(client, missing) == 0).then_some(())
    });
    let rows = client
        .query("select c.chunk_text, e.embedding::real[] from memento.chunk c join memento.chunk_embedding e using (project_id, chunk_id) order by c.chunk_id", &[])
        .unwrap();
    for row in &rows {
        assert_eq!(row.get::<_, Vec<f32>>(1), protocol::vector_of(row.get(0)), "the vector of its own text");
    }
    let texts = rows.iter().map(|row| row.get::<_, String>(0));
    let (spec, note): (Vec<String>, Vec<String>) = texts.partition(|text| text.contains("ledger"));
    assert!(spec.len() > 2 && note.len() > 2, "{} and {}", spec.len(), note.len());
    (spec, note)
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn voyage_gets_the_chunks_of_a_specification_as_one_document() {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&paths);
    let endpoint = FakeEndpoint::start(move |request: &Request| {
        seen.lock().unwrap().push(request.path.clone());
        protocol::vectors(Api::VoyageContext, request, Fault::None)
    });
    let cluster = cluster(&endpoints_allowed());
    let mut client = cluster.connect(&cluster.database());
    activate(
        &mut client,
        "context",
        "voyage",
        "voyage-context-3",
        DIMS as i32,
        &json!({"base_url": endpoint.url()}),
    );
    let (spec, note) = store(&mut client);
    let groups: Vec<Vec<String>> = endpoint
        .requests()
        .iter()
        .flat_map(|request| {
            request.body["inputs"].as_array().unwrap().iter().map(strings).collect::<Vec<_>>()
        })
        .collect();
    assert!(groups.contains(&spec), "all of it together, in order: {groups:?}");
    for text in &note {
        assert!(groups.contains(&vec![text.clone()]), "each by itself");
    }
    assert!(paths.lock().unwrap().iter().all(|path| path == "/v1/contextualizedembeddings"));
}

#[test]
fn jina_chunks_late_what_belongs_together() {
    let endpoint =
        FakeEndpoint::start(|request: &Request| protocol::vectors(Api::Jina, request, Fault::None));
    let cluster = cluster(&endpoints_allowed());
    let mut client = cluster.connect(&cluster.database());
    let config = json!({"base_url": endpoint.url(), "late_chunking": true});
    activate(&mut client, "late", "jina", "jina-embeddings-v3", DIMS as i32, &config);
    let (spec, note) = store(&mut client);
    let (mut late, mut alone) = (Vec::new(), Vec::new());
    for request in endpoint.requests() {
        match request.body["late_chunking"] == true {
            true => late.push(strings(&request.body["input"])),
            false => alone.extend(strings(&request.body["input"])),
        }
    }
    assert_eq!(late, [spec]);
    alone.sort();
    let mut note = note;
    note.sort();
    assert_eq!(alone, note);
}
