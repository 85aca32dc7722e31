//! What tests of packs share: vectors by words (provider hash), and no worker beside.

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::Value;

pub fn cluster() -> Cluster {
    let lines = vec!["memento.worker = off".to_owned()];
    Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() })
}

pub fn database(cluster: &Cluster) -> (String, Client) {
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 64);
             select memento.embedding_profiles_activate('words', true);",
        )
        .unwrap();
    (database, client)
}

/// Remembers a text under a key, with a kind; gives the item.
pub fn remember(client: &mut Client, key: &str, kind: &str, content: &str) -> String {
    const REMEMBER: &str = "select memento.remember($1, title => $2, kind => $3, source_system => 'test', source_id => $2) ->> 'item_id'";
    client.query_one(REMEMBER, &[&content, &key, &kind]).unwrap().get(0)
}

pub fn embed_all(client: &mut Client) {
    client.batch_execute("call memento.drain()").unwrap();
}

/// The text of a pack, for a call of retrieve().
pub fn retrieve(client: &mut Client, arguments: &str) -> String {
    client.query_one(&format!("select memento.retrieve({arguments})::text"), &[]).unwrap().get(0)
}

pub fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub fn replay(client: &mut Client, pack: &str) -> (bool, Value, String) {
    const REPLAY: &str = "
      select (r -> 'same')::boolean, (r -> 'changes')::text, (r -> 'pack')::text
        from memento.replay_pack(($1::text::jsonb ->> 'query_id')::uuid) r";
    let row = client.query_one(REPLAY, &[&pack]).unwrap();
    (row.get(0), parsed(row.get(1)), row.get(2))
}

pub fn titles(pack: &Value) -> Vec<String> {
    let evidence = ["artifacts", "quotes"].into_iter().flat_map(|part| pack[part].as_array().unwrap());
    let mut scored: Vec<(f64, String)> = evidence
        .map(|one| (one["score"].as_f64().unwrap(), one["title"].as_str().unwrap().to_owned()))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().map(|(_, title)| title).collect()
}

/// All snippets of a pack.
pub fn snippets(pack: &Value) -> Vec<String> {
    let evidence = ["artifacts", "quotes"].into_iter().flat_map(|part| pack[part].as_array().unwrap());
    evidence.map(|one| one["snippet"].as_str().unwrap().to_owned()).collect()
}
