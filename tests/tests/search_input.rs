//! What a search makes of any input, and of a database that is not as it should be: a result with notes, or an error with a code
//! and a hint.

use std::time::{Duration, Instant};

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use memento_tests::hostile::HOSTILE;
use memento_tests::wait::eventually;
use postgres::Client;
use serde_json::Value;

/// A database whose default project has three memories with vectors by words, and pg_trgm where the server has it.
fn scene(cluster: &Cluster) -> (String, Client) {
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 64);
             select memento.embedding_profiles_activate('words');
             select memento.remember('The ledger is closed at midnight by ledger_main.rs.', title => 'Ledger');
             select memento.remember('PAY-4012 means that the storage is full.', title => 'Payments');
             select memento.remember('it''s a 100% plain text & nothing | else', kind => 'other');",
        )
        .unwrap();
    let _ = client.batch_execute("create extension pg_trgm");
    wait_until_embedded(&mut client);
    (database, client)
}

fn wait_until_embedded(client: &mut Client) {
    const MISSING: &str = "
      select count(*) from memento.chunk c
       where not exists (select from memento.chunk_embedding e join memento.embedding_profile p using (profile_id)
                          where e.project_id = c.project_id and e.chunk_id = c.chunk_id and p.name = 'words')";
    const INDEXED: &str = "select memento._index_state(profile_id) = 'ready' from memento.embedding_profile where name = 'words'";
    eventually("all chunks have vectors", || {
        let missing: i64 = client.query_one(MISSING, &[]).unwrap().get(0);
        (missing == 0 && client.query_one(INDEXED, &[]).unwrap().get(0)).then_some(())
    });
}

/// The lanes that found the best result, without that of spelling, which not every server has, and how many results there are.
fn found(client: &mut Client, query: &str) -> (Vec<String>, usize) {
    let rows = client.query("select lanes::text from memento.search($1)", &[&query]).unwrap();
    let first: Value = rows.first().map(|row| serde_json::from_str(row.get(0)).unwrap()).unwrap_or_default();
    let lanes = first.as_object().into_iter().flatten().map(|(lane, _)| lane.clone());
    (lanes.filter(|lane| lane != "trigram").collect(), rows.len())
}

/// What the notes of a pack say about a lane.
fn note(client: &mut Client, lane: &str, query: &str) -> String {
    const NOTE: &str = "select (memento.retrieve($2, store => false) #> array['notes', 'retrieval', 'lane_details', $1])::text";
    client.query_one(NOTE, &[&lane, &query]).unwrap().get(0)
}

/// The file of an index, overwritten while the server is down.
fn spoil(cluster: &Cluster, client: &mut Client, index: &str) {
    client.batch_execute("checkpoint").unwrap();
    let file: String =
        client.query_one("select pg_relation_filepath($1::text::regclass)", &[&index]).unwrap().get(0);
    cluster.stop("fast");
    let file = cluster.directory().join(file);
    let size = std::fs::metadata(&file).unwrap().len() as usize;
    assert!(size > 0, "{index} has a file of its own");
    std::fs::write(&file, vec![0x5a; size]).unwrap();
    cluster.boot();
}

#[test]
fn every_query_is_answered_by_every_function_that_takes_one() {
    const ASKED: &str = "
      select (select count(*) from memento.search($1)), (select count(*) from memento.recall($1, 3)),
             memento.retrieve($1, strategy => 'hierarchical', store => false) is not null, memento.memory_search($1) is not null,
             memento.artifact_search($1) is not null, memento.hybrid_search($1) is not null,
             memento.analyze_query($1) is not null";
    let cluster = Cluster::start();
    let (_, mut client) = scene(&cluster);
    // No lane may need to be saved from an error: that would be a notice.
    client.batch_execute("set memento.lane_timeout = '60s'").unwrap();
    for query in HOSTILE.iter() {
        let shown = &query[..query.floor_char_boundary(100)];
        let started = Instant::now();
        client.query_one(ASKED, &[query]).unwrap_or_else(|error| panic!("{error:?} for {shown:?}"));
        assert!(started.elapsed() < Duration::from_secs(60), "{shown:?} took {:?}", started.elapsed());
        for lane in ["fts", "dense"] {
            let note = note(&mut client, lane, query);
            assert!(query.trim().is_empty() || note.contains("milliseconds"), "{shown:?}: {lane}: {note}");
        }
    }
    assert_eq!(found(&mut client, "ledger midnight").0, ["dense", "fts"], "the session goes on");
}

#[test]
fn null_is_the_default_and_nothing_finds_nothing() {
    let cluster = Cluster::start();
    let (_, mut client) = scene(&cluster);
    for (statement, rows) in [
        ("select from memento.search(null)", 0),
        ("select from memento.search('', 5)", 0),
        ("select from memento.search('ledger', null, null, null)", 3),
        ("select from memento.recall('ledger', null, null)", 3),
        ("select from memento.search('ledger', 1000)", 3),
        ("select from memento.search('ledger', filters => '{\"kinds\": []}')", 0),
        ("select from memento.search('ledger', as_of => 'infinity')", 3),
        ("select from memento.search('ledger', as_of => '-infinity')", 0),
    ] {
        assert_eq!(client.query(statement, &[]).unwrap().len(), rows, "{statement}");
    }
    let refused = client.query("select memento.retrieve(null)", &[]);
    let error = assert_failure(refused, "22023", "VALIDATION_ERROR");
    assert!(error.hint().is_some(), "{error:?}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_hint() {
    let cluster = Cluster::start();
    let (_, mut client) = scene(&cluster);
    let many: Vec<String> = (0..100_000).map(|n| format!("\"tag {n}\"")).collect();
    let many = format!("{{\"tags_any\": [{}]}}", many.join(","));
    let deep = format!("{{\"kinds\": {}{}}}", "[".repeat(5000), "]".repeat(5000));
    for (k, filters) in [
        (0, "{}"),
        (-1, "{}"),
        (i32::MIN, "{}"),
        (1_000_000, "{}"),
        (i32::MAX, "{}"),
        (5, "{\"colour\": 1}"),
        (5, "{\"kinds\": \"note\"}"),
        (5, "{\"kinds\": [1]}"),
        (5, "{\"created_after\": \"tomorrow, perhaps\"}"),
        (5, "{\"item_ids\": [\"1\"]}"),
        (5, "{\"pinned_only\": \"yes\"}"),
        (5, "[]"),
        (5, "7"),
        (5, "\"note\""),
        (5, &many),
        (5, &deep),
    ] {
        for function in ["search", "recall"] {
            let statement = format!("select * from memento.{function}('ledger', $1, $2::text::jsonb)");
            let shown = &filters[..filters.len().min(100)];
            let error =
                assert_failure(client.query(&statement, &[&k, &filters]), "22023", "VALIDATION_ERROR");
            assert!(error.hint().is_some(), "{k} {shown}: {error:?}");
        }
    }
    assert_eq!(found(&mut client, "ledger").1, 3, "the session goes on");
}

#[test]
fn a_profile_without_vectors_leaves_the_words() {
    let cluster = Cluster::start();
    let (_, mut client) = scene(&cluster);
    client
        .batch_execute(
            "set memento.project = 'default';
             select memento.pause_queue();
             select memento.embedding_profiles_upsert('wider', 'hash', 'words', 128);
             select memento.embedding_profiles_activate('wider', true);",
        )
        .unwrap();
    let (lanes, count) = found(&mut client, "ledger midnight");
    assert!(lanes.contains(&"fts".to_owned()) && !lanes.contains(&"dense".to_owned()), "{lanes:?}");
    assert_eq!(count, 1);
    let note = note(&mut client, "dense", "ledger midnight");
    assert!(note.contains("no vectors"), "{note}");
}

#[test]
fn vectors_of_other_dimensions_leave_the_words() {
    let cluster = Cluster::start();
    let (_, mut client) = scene(&cluster);
    // As after a model that was changed under its name: the profile has the new dimensions, the vectors the old ones.
    client
        .batch_execute(
            "do $$ begin execute (select format('drop index memento.%I', memento._index_name(profile_id))
                                    from memento.embedding_profile where name = 'words'); end $$;
             select memento.pause_queue();
             set session_replication_role = replica;
             update memento.embedding_profile set dims = 128 where name = 'words';
             reset session_replication_role;",
        )
        .unwrap();
    let (lanes, count) = found(&mut client, "ledger midnight");
    assert!(lanes.contains(&"fts".to_owned()) && !lanes.contains(&"dense".to_owned()), "{lanes:?}");
    assert_eq!(count, 1);
    let note = note(&mut client, "dense", "ledger midnight");
    assert!(note.contains("reason"), "{note}");
}

#[test]
fn a_vector_index_that_is_gone_or_broken_is_done_without() {
    let cluster = Cluster::start();
    let (database, mut client) = scene(&cluster);
    let index: String = client
        .query_one(
            "select 'memento.' || memento._index_name(profile_id) from memento.embedding_profile where name = 'words'",
            &[],
        )
        .unwrap()
        .get(0);
    spoil(&cluster, &mut client, &index);
    let mut client = cluster.connect(&database);
    let (lanes, count) = found(&mut client, "ledger midnight");
    assert!(lanes.contains(&"fts".to_owned()) && count >= 1, "{lanes:?}");
    client.batch_execute(&format!("select memento.pause_queue(); drop index {index}")).unwrap();
    assert_eq!(found(&mut client, "ledger midnight"), (vec!["dense".into(), "fts".into()], 3));
}

#[test]
fn an_index_of_words_that_is_broken_leaves_the_vectors() {
    let cluster = Cluster::start();
    let (database, mut client) = scene(&cluster);
    spoil(&cluster, &mut client, "memento.chunk_tsv_idx");
    let mut client = cluster.connect(&database);
    // Otherwise three rows are read without it.
    client.batch_execute("set enable_seqscan = off; set enable_indexscan = off").unwrap();
    let (lanes, count) = found(&mut client, "ledger midnight");
    assert_eq!((lanes, count), (vec!["dense".to_owned()], 3));
    let note = note(&mut client, "fts", "ledger midnight");
    assert!(note.contains("reason"), "{note}");
    client.batch_execute("reindex index memento.chunk_tsv_idx").unwrap();
    assert_eq!(found(&mut client, "ledger midnight").0, ["dense", "fts"]);
}

#[test]
fn a_statement_that_is_cancelled_ends_whatever_lane_runs() {
    let cluster = Cluster::start();
    let (database, mut client) = scene(&cluster);
    let mut other = cluster.connect(&database);
    // Tables that only one lane reads, and the one that all of them do.
    for table in ["memento.lexeme_stat", "memento.chunk_embedding", "memento.item"] {
        let mut held = other.transaction().unwrap();
        held.batch_execute(&format!("lock table {table}")).unwrap();
        client.batch_execute("set memento.lane_timeout = '60s'; set statement_timeout = '300ms'").unwrap();
        for statement in ["select * from memento.search('ledger')", "select memento.retrieve('ledger')"] {
            let started = Instant::now();
            let error = failure(client.query(statement, &[]));
            assert_eq!(error.code().code(), "57014", "{table}: {error:?}");
            assert!(started.elapsed() < Duration::from_secs(20), "{table}: {:?}", started.elapsed());
        }
        held.rollback().unwrap();
        client.batch_execute("reset statement_timeout").unwrap();
        assert_eq!(found(&mut client, "ledger").1, 3, "the session goes on after {table}");
    }
}

/// A role that may read one of two projects: in a transaction that cannot write, and on a standby.
#[test]
fn a_reader_of_one_project_finds_what_is_in_it() {
    let cluster = Cluster::start();
    let (database, mut client) = scene(&cluster);
    cluster.connect_as("reader", &database);
    client
        .batch_execute(
            "select memento.create_project('theirs');
             select memento.use_project('theirs'), memento.embedding_profiles_activate('words', true);
             select memento.remember('the ledger of theirs says ZEBRA-77 at midnight');
             select memento.grant_access('reader', 'theirs', 'read');",
        )
        .unwrap();
    wait_until_embedded(&mut client);
    let standby = cluster.standby();
    let mut there = standby.try_connect("reader", &database).unwrap();
    let mut here = cluster.connect_as("reader", &database);
    here.batch_execute("set default_transaction_read_only = on").unwrap();
    for reader in [&mut here, &mut there] {
        eventually("the standby has caught up", || {
            reader.batch_execute("set memento.project = 'theirs'; select memento.current_project()").ok()
        });
        let (lanes, count) = eventually("the standby has caught up", || {
            Some(found(reader, "ledger midnight ZEBRA-77")).filter(|(_, count)| *count > 0)
        });
        assert_eq!(
            (lanes.as_slice(), count),
            (["dense", "fts", "tech_token"].map(str::to_owned).as_slice(), 1)
        );
        assert_eq!(found(reader, "PAY-4012 storage").1, 1, "the nearest of their own, and nothing of others");
        let direct: i64 = reader.query_one("select count(*) from memento.chunk", &[]).unwrap().get(0);
        assert_eq!(direct, 1, "row-level security holds for direct access");
        reader.batch_execute("set memento.project = 'default'").unwrap();
        assert_failure(reader.query("select * from memento.search('ledger')", &[]), "42501", "FORBIDDEN");
    }
}

#[test]
fn numbers_that_cannot_be_are_refused_by_each_search() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for number in ["0", "-1", "1000000", "2147483647"] {
        for call in [
            format!("memento.memory_search('x', {number})"),
            format!("memento.artifact_search('x', {number})"),
            format!("memento.hybrid_search('x', {number})"),
            format!("memento.retrieve('x', max_evidence_items => {number})"),
            format!("memento.retrieve('x', max_per_item => {number})"),
            format!("memento.eval('[{{\"query\": \"x\", \"relevant\": [1]}}]', {number})"),
            format!("memento.expand('Q-1', {})", if number.starts_with('2') { "-5" } else { "0" }),
        ] {
            assert_failure(client.query(&format!("select {call}"), &[]), "22023", "VALIDATION_ERROR");
        }
    }
}

#[test]
fn a_long_query_costs_a_pack_no_more_than_what_is_looked_at_of_it() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for number in 0..40 {
        let text =
            format!("The storage of branch {number}. {}", "alpha beta gamma delta epsilon ".repeat(60));
        client.execute("select memento.remember($1)", &[&text]).unwrap();
    }
    let query = format!("{}storage", "alpha ".repeat(170_000));
    client.batch_execute("set statement_timeout = '20s'").unwrap();
    let pieces: i32 = client
        .query_one(
            "select jsonb_array_length(memento.retrieve($1, max_evidence_items => 40, max_total_chars => 8000, max_total_tokens => 1500) -> 'quotes')",
            &[&query],
        )
        .unwrap()
        .get(0);
    assert!(pieces > 5, "{pieces}");
}
