//! Memories as resources.

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use postgres::Client;
use serde_json::Value;

const PLAN: &str =
    "# Plan\n\nWe use Postgres.\n\n## Détails\n\nFirst.\n\n### Below\n\nSecond.\n\n## Next\n\nThird.";

fn read(client: &mut Client, uri: &str) -> Result<String, postgres::Error> {
    let row = client.query_one("select memento.mcp_read($1)", &[&uri])?;
    let contents: Value = row.get(0);
    assert_eq!(contents["contents"][0]["uri"], uri);
    Ok(contents["contents"][0]["text"].as_str().unwrap().to_owned())
}

fn uri_of_first(client: &mut Client) -> String {
    client.query_one("select memento.mcp_resources() #>> '{resources,0,uri}'", &[]).unwrap().get(0)
}

#[test]
fn items_versions_and_sections_are_read_by_uri() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let store = "select memento.remember($1, source_system => 's', source_id => '1')";
    client.query(store, &[&PLAN]).unwrap();
    client.query(store, &[&format!("{PLAN}\n\nMore.")]).unwrap();
    let uri = uri_of_first(&mut client);
    assert_eq!(read(&mut client, &uri).unwrap(), format!("{PLAN}\n\nMore."));
    assert_eq!(read(&mut client, &format!("{uri}/versions/1")).unwrap(), PLAN);
    let section = "## Détails\n\nFirst.\n\n### Below\n\nSecond.\n\n";
    for anchor in ["d%C3%A9tails", "détails"] {
        assert_eq!(read(&mut client, &format!("{uri}/sections/{anchor}")).unwrap(), section);
    }
    assert_eq!(read(&mut client, &format!("{uri}/sections/next")).unwrap(), "## Next\n\nThird.\n\nMore.");
    assert_failure(read(&mut client, &format!("{uri}/versions/3")), "P0002", "VERSION_NOT_FOUND");
    assert_failure(read(&mut client, &format!("{uri}/sections/nothing")), "P0002", "SECTION_NOT_FOUND");
}

#[test]
fn other_uris_are_refused() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.remember('here'); select memento.create_project('other')").unwrap();
    let uri = uri_of_first(&mut client);
    for uri in [
        "".to_owned(),
        "memory://".into(),
        "file:///etc/passwd".into(),
        "memory://projects/../items".into(),
        format!("{uri}/"),
        format!("{uri}/../../x"),
        format!("{uri}/versions/0"),
        format!("{uri}/versions/99999999999999999999"),
        format!("{uri}/versions/1;drop"),
        format!("{uri}/sections/"),
        format!("{uri}/sections/a/b"),
        format!("{uri}?x=1"),
        format!("{uri}\n"),
        format!("x{uri}"),
        uri.to_uppercase(),
        "a".repeat(1_000_000),
    ] {
        assert_failure(read(&mut client, &uri), "P0002", "RESOURCE_NOT_FOUND");
    }
    for bytes in ["%FF", "%00", "%C3"] {
        let refused = failure(read(&mut client, &format!("{uri}/sections/{bytes}")));
        assert!(refused.code().code().starts_with("22"), "{refused:?}");
    }
    client.batch_execute("select memento.use_project('other')").unwrap();
    assert_failure(read(&mut client, &uri), "P0002", "RESOURCE_NOT_FOUND");
}

#[test]
fn lists_have_pages_and_states_follow_versions() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute("select memento.remember('memory ' || n, source_system => 's', source_id => n::text) from generate_series(1, 5) n")
        .unwrap();
    let mut seen = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page: Value = client.query_one("select memento.mcp_resources($1, 2)", &[&after]).unwrap().get(0);
        seen.extend(page["resources"].as_array().unwrap().iter().map(|resource| resource["uri"].to_string()));
        after = page["next_after"].as_str().map(str::to_owned);
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 5);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);

    let uri = uri_of_first(&mut client);
    let state = |client: &mut Client| -> Option<String> {
        client.query_one("select state from memento.mcp_states(array[$1])", &[&uri]).unwrap().get(0)
    };
    let before = state(&mut client);
    assert!(before.is_some());
    client.batch_execute("select memento.remember('changed', source_system => 's', source_id => n::text) from generate_series(1, 5) n").unwrap();
    assert_ne!(state(&mut client), before);
    client.batch_execute("select memento.forget(whole_project => true)").unwrap();
    assert_eq!(state(&mut client), None);
}
