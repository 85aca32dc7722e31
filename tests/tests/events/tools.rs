//! What the tools show, and what they refuse.

use memento_tests::failure::assert_failure;
use postgres::Client;
use serde_json::Value;

use super::scene::{count, drain, events, ingest, json, without_worker};

fn narratives(found: &Value) -> Vec<&str> {
    found["events"].as_array().unwrap().iter().map(|event| event["narrative"].as_str().unwrap()).collect()
}

/// Writes events by hand, all quoted from one document.
pub fn write_events(client: &mut Client, count: i32) {
    let quote = "Everything is said here.";
    ingest(client, "source", quote);
    client
        .execute(
            "with source as (
               select v.project_id, v.version_id, i.artifact_uid, memento._revision_id(v.content_hash) as revision_id
                 from memento.version v join memento.item i using (project_id, item_id) where i.source_id = 'source'
             ), given as materialized (
               select s.*, n, md5(n::text)::uuid as event_id from source s, generate_series(1, $1) n
             ), quoted as (
               insert into memento.event_evidence (project_id, event_id, evidence_id, version_id, start_char, end_char, artifact_uid, revision_id, quote)
               select project_id, event_id, event_id, version_id, 0, 24, artifact_uid, revision_id, $2 from given
             )
             insert into memento.semantic_event (project_id, event_id, version_id, evidence_id, extraction_run_id, event_time, confidence, category,
                                                 artifact_uid, revision_id, extractor, narrative, subject_json, actors_json)
             select project_id, event_id, version_id, event_id, event_id,
                    case when n % 5 > 0 then timestamptz '2026-01-01 00:00+00' + n / 3 * interval '1 day' end, (n % 11) / 10.0,
                    (array['Decision', 'Commitment', 'Change'])[1 + n % 3], artifact_uid, revision_id, 'test',
                    'Item ' || n || case when n % 10 = 0 then ' about the pricing model' else ' about storage' end,
                    jsonb_build_object('type', 'project', 'ref', 'Plan ' || n % 4),
                    jsonb_build_array(jsonb_build_object('ref', (array['Alice Chen', 'Bob Smith'])[1 + n % 2], 'role', 'owner'))
               from given",
            &[&count, &quote],
        )
        .unwrap();
}

#[test]
fn search_filters_ranks_counts_and_pages() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 300);
    let all = json(&mut client, "memento.event_search()");
    assert_eq!(
        (&all["total"], &all["total_is_exact"], &all["order"]),
        (&300.into(), &true.into(), &"time".into())
    );
    assert_eq!(all["events"].as_array().unwrap().len(), 20);
    let times: Vec<&str> =
        all["events"].as_array().unwrap().iter().map(|e| e["event_time"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "the newest first: {times:?}");

    for (arguments, condition) in [
        ("category => 'Change'", "category = 'Change'"),
        ("'pricing'", "narrative like '%pricing%'"),
        ("'pricing models'", "narrative like '%pricing%'"),
        ("'pricing', category => 'Change'", "narrative like '%pricing%' and category = 'Change'"),
        ("actor => 'alice'", "actors_json @> '[{\"ref\": \"Alice Chen\"}]'"),
        ("actor => 'Chen, Alice'", "actors_json @> '[{\"ref\": \"Alice Chen\"}]'"),
        (
            "actor => 'alice', subject => 'plan 3'",
            "actors_json @> '[{\"ref\": \"Alice Chen\"}]' and subject_json ->> 'ref' = 'Plan 3'",
        ),
        ("min_confidence => 0.75", "confidence >= 0.75"),
        (
            "time_from => '2026-02-01 00:00+00', time_to => '2026-02-10 00:00+00'",
            "event_time between '2026-02-01 00:00+00' and '2026-02-10 00:00+00'",
        ),
        (
            "'storage', time_from => '2026-02-01 00:00+00', min_confidence => 0.5, actor => 'bob', category => 'Decision'",
            "narrative like '%storage%' and event_time >= '2026-02-01 00:00+00' and confidence >= 0.5 and actors_json @> '[{\"ref\": \"Bob Smith\"}]' and category = 'Decision'",
        ),
        ("artifact_uid => 'uid_0000000000000000'", "false"),
        ("'nonsense'", "false"),
        ("'the'", "false"),
        ("' '", "true"),
    ] {
        let expected =
            count(&mut client, &format!("select count(*) from memento.semantic_event where {condition}"));
        let found = json(&mut client, &format!("memento.event_search({arguments})"));
        assert_eq!(found["total"], expected, "{arguments}");
        // Page by page, each event once and in the same order as all at once.
        let (mut seen, mut after) = (Vec::new(), String::from("null"));
        loop {
            let page = json(
                &mut client,
                &format!("memento.event_search({arguments}, max_items => 7, after => {after})"),
            );
            seen.extend(page["events"].as_array().unwrap().iter().map(|event| event["event_id"].to_string()));
            match page["next_after"].as_str() {
                Some(next) => after = format!("'{next}'"),
                None => break,
            }
        }
        assert_eq!(seen.len() as i64, expected, "{arguments}: pages");
        let first: Vec<String> =
            found["events"].as_array().unwrap().iter().map(|e| e["event_id"].to_string()).collect();
        assert_eq!(seen[..first.len()], first, "{arguments}: order");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len() as i64, expected, "{arguments}: each once");
    }

    // Where nothing has all words, what has the rarest comes first.
    let any = json(&mut client, "memento.event_search('decision about the pricing of item 40')");
    assert_eq!(any["matched"], "any word");
    assert_eq!(narratives(&any)[0], "Item 40 about the pricing model");
    assert_eq!(
        json(&mut client, "memento.event_search('storage', include_evidence => false)")["events"][0]
            .get("evidence"),
        None
    );
}

#[test]
fn events_are_found_by_the_name_of_their_category() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", "Decision: Use Postgres.\n\nRisk: The disk may fill up.");
    drain(&mut client);
    for (query, total) in [
        ("decision", 1),
        ("decisions about Postgres", 1),
        ("quality risk", 1),
        ("risks of the disk", 1),
        ("commitment", 0),
    ] {
        let found = json(&mut client, &format!("memento.event_search('{query}')"));
        assert_eq!(found["total"], total, "{query}: {found}");
    }
}

/// Ordinary text is never a syntax error, and filters are repeated in the answer.
#[test]
fn no_query_is_an_error() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 10);
    let long = "pricing ".repeat(100_000);
    for query in [
        "a & | ! b",
        "'",
        "\\",
        "it's (not) <-> \"closed",
        ":*",
        "日本語",
        "<>",
        "%_",
        long.as_str(),
        "😀\u{1}",
    ] {
        for argument in ["query", "actor", "subject"] {
            client
                .query_one(&format!("select memento.event_search({argument} => $1)"), &[&query])
                .unwrap_or_else(|e| panic!("{query:?}: {e:?}"));
        }
    }
    let found = json(
        &mut client,
        "memento.event_search('pricing', category => 'Decision', time_from => '2024-01-01T00:00:00Z')",
    );
    assert_eq!(
        (&found["filters_applied"]["query"], &found["filters_applied"]["category"]),
        (&"pricing".into(), &"Decision".into())
    );
}

#[test]
fn what_cannot_be_done_says_why() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest(&mut client, "one", "Nothing happens here.");
    let uid = made["artifact_uid"].as_str().unwrap();
    let remembered = json(&mut client, "memento.remember('Decision: remembered by hand.')");
    for (call, sqlstate, code) in [
        ("event_search(category => 'InvalidCategory')", "22023", "VALIDATION_ERROR"),
        ("event_search(max_items => 0)", "22023", "VALIDATION_ERROR"),
        ("event_search(max_items => 101)", "22023", "VALIDATION_ERROR"),
        ("event_search(min_confidence => 7)", "22023", "VALIDATION_ERROR"),
        ("event_search(min_confidence => 'NaN')", "22023", "VALIDATION_ERROR"),
        ("event_search(after => 'somewhere')", "22023", "VALIDATION_ERROR"),
        ("event_search(artifact_uid => 'art_0000')", "P0002", "ARTIFACT_NOT_FOUND"),
        ("event_search(artifact_uid => 'x')", "22023", "VALIDATION_ERROR"),
        ("event_get(gen_random_uuid())", "P0002", "EVENT_NOT_FOUND"),
        ("event_get(null)", "22023", "VALIDATION_ERROR"),
        ("event_list_for_revision('uid_0000000000000000')", "P0002", "ARTIFACT_NOT_FOUND"),
        ("event_list_for_revision('{uid}', 'rev_0000000000000000')", "P0002", "REVISION_NOT_FOUND"),
        ("event_reextract('uid_0000000000000000')", "P0002", "ARTIFACT_NOT_FOUND"),
        ("event_diff('{uid}', 'rev_0000000000000000')", "P0002", "REVISION_NOT_FOUND"),
        ("job_status('uid_0000000000000000')", "P0002", "ARTIFACT_NOT_FOUND"),
        ("job_status('{item}')", "P0002", "JOB_NOT_FOUND"),
        ("set_event_extractor('nobody')", "P0002", "PROFILE_NOT_FOUND"),
        ("set_extraction_prompt('poem', 'x')", "22023", "VALIDATION_ERROR"),
        ("set_extraction_prompt('extract', ' ')", "22023", "VALIDATION_ERROR"),
        ("chat_profiles_upsert('rules', 'openai', 'm')", "22023", "VALIDATION_ERROR"),
        ("chat_profiles_upsert('other', 'nobody', 'm')", "22023", "PROVIDER_CONFIG"),
    ] {
        let call = call.replace("{uid}", uid).replace("{item}", remembered["item_id"].as_str().unwrap());
        assert_failure(client.query_one(&format!("select memento.{call}"), &[]), sqlstate, code);
    }
    drain(&mut client);
    let status = json(&mut client, &format!("memento.job_status('{uid}')"));
    assert_eq!(
        (&status["status"], &status["attempts"], &status["result"]["events"]),
        (&"DONE".into(), &1.into(), &0.into()),
        "{status}"
    );
    let again = json(&mut client, &format!("memento.event_reextract('{uid}')"));
    assert_eq!(
        (&again["status"], &again["job_id"]),
        (&"DONE".into(), &status["job_id"]),
        "done, and not forced"
    );

    // Any memory can be looked through.
    let item = remembered["item_id"].as_str().unwrap();
    assert_eq!(json(&mut client, &format!("memento.event_reextract('{item}')"))["status"], "PENDING");
    drain(&mut client);
    assert_eq!(json(&mut client, &format!("memento.event_list_for_revision('{item}')"))["total"], 1);
}

#[test]
fn revisions_are_compared() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let first = ingest(&mut client, "one", "Decision: Use MySQL.\n\nDecision: Deploy on Tuesdays.\n");
    drain(&mut client);
    let second = ingest(&mut client, "one", "Decision: Deploy on Tuesdays.\n\nRisk: The disk may fill up.\n");
    drain(&mut client);
    assert!(!events(&mut client, &second).is_empty());
    let seen = json(
        &mut client,
        &format!(
            "memento.event_diff('{}', '{}')",
            first["artifact_uid"].as_str().unwrap(),
            first["revision_id"].as_str().unwrap()
        ),
    );
    let sizes = ["added", "removed", "changed", "unchanged"].map(|fate| seen[fate].as_array().unwrap().len());
    assert_eq!((sizes[0] + sizes[2], sizes[3]), (1, 1), "{seen}");
    assert!(seen["unchanged"][0]["to"]["narrative"].as_str().unwrap().contains("Tuesdays"));
    assert_eq!(seen["revision_b"], second["revision_id"]);
}

/// A time is the same text in every session.
#[test]
fn times_are_in_utc() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest(&mut client, "one", "Action: Bob will write the runbook by 2026-03-15.");
    drain(&mut client);
    for zone in ["UTC", "Asia/Kolkata", "America/St_Johns"] {
        client.batch_execute(&format!("set timezone = '{zone}'")).unwrap();
        let listed = events(&mut client, &made);
        assert_eq!(listed[0]["event_time"], "2026-03-15T00:00:00Z", "{zone}");
        let found =
            json(&mut client, "memento.event_search('runbook', time_to => '2026-04-01T00:30:00+05:30')");
        assert_eq!(found["events"][0]["event_time"], "2026-03-15T00:00:00Z", "{zone}");
        assert_eq!(found["filters_applied"]["time_to"], "2026-03-31T19:00:00Z", "{zone}");
        let id = listed[0]["event_id"].as_str().unwrap();
        let seen = json(&mut client, &format!("memento.event_get('{id}')"));
        assert!(seen["created_at"].as_str().unwrap().ends_with('Z'), "{zone}: {seen}");
        let pack = json(&mut client, "memento.retrieve('runbook')");
        assert_eq!(pack["events"][0]["event_time"], "2026-03-15T00:00:00Z", "{zone}");
    }
}

/// The first quote of an event may be in no chunk as a whole; any other proves it, too.
#[test]
fn an_event_is_in_a_pack_by_any_of_its_quotes() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", "Decision: We will use Postgres for storage. We said: Postgres for storage.");
    drain(&mut client);
    client
        .batch_execute(
            "update memento.event_evidence set chunk_id = null;
             insert into memento.event_evidence (project_id, event_id, version_id, chunk_id, start_char, end_char, artifact_uid, revision_id, quote)
             select e.project_id, e.event_id, e.version_id, c.chunk_id, 54, 74, e.artifact_uid, e.revision_id, substr(v.content, 55, 20)
               from memento.event_evidence e join memento.version v using (project_id, version_id) join memento.chunk c using (project_id, version_id)
              limit 1",
        )
        .unwrap();
    let pack = json(&mut client, "memento.retrieve('Postgres storage')");
    assert_eq!(pack["events"].as_array().unwrap().len(), 1, "{pack}");
    let id = pack["events"][0]["evidence_id"].as_str().unwrap();
    assert!(
        json(&mut client, &format!("memento.expand('{id}')"))["text"].as_str().unwrap().contains("Postgres")
    );
}

#[test]
fn packs_have_the_events_that_their_passages_prove() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", "Decision: We will use Postgres for storage.");
    ingest(&mut client, "two", "The weather was fine, and Postgres was mentioned.");
    drain(&mut client);
    let pack = json(&mut client, "memento.retrieve('Postgres storage')");
    let events = pack["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{pack}");
    let source = pack["quotes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["chunk_id"] == events[0]["chunk_id"])
        .unwrap();
    assert!(source["snippet"].as_str().unwrap().contains(events[0]["quote"].as_str().unwrap()));
    let id = events[0]["evidence_id"].as_str().unwrap();
    assert!(
        json(&mut client, &format!("memento.expand('{id}')"))["text"].as_str().unwrap().contains("Postgres")
    );
    // They share the budget of the pack.
    let small = json(&mut client, "memento.retrieve('Postgres storage', max_total_chars => 60)");
    assert_eq!(small["events"].as_array().unwrap().len(), 0, "{small}");
    for id in ["E-", "E-x", "E-00000000-0000-0000-0000-000000000000"] {
        assert_failure(client.query_one("select memento.expand($1)", &[&id]), "P0002", "EVIDENCE_NOT_FOUND");
    }
}
