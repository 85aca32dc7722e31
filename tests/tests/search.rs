//! Searching: lanes, their failures, plans, places, standbys; with vectors by words (provider hash), which are the same everywhere.

use memento_tests::Cluster;
use memento_tests::wait::eventually;
use postgres::Client;
use serde_json::Value;

/// A database whose default project has an active profile of provider hash.
fn with_vectors(cluster: &Cluster) -> (String, Client) {
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 64);
             select memento.embedding_profiles_activate('words');",
        )
        .unwrap();
    (database, client)
}

fn remember(client: &mut Client, content: &str) {
    client.execute("select memento.remember($1)", &[&content]).unwrap();
}

fn wait_until_embedded(client: &mut Client) {
    // Not by wait_until_idle(): an index that is built concurrently waits for the end of its statement, and the profile that was
    // there before has no model here.
    const MISSING: &str = "
      select count(*) from memento.chunk c, memento.embedding_profile p
       where p.name = 'words'
         and not exists (select from memento.chunk_embedding e where (e.project_id, e.chunk_id, e.profile_id) = (c.project_id, c.chunk_id, p.profile_id))";
    const INDEXED: &str = "select memento._index_state(profile_id) = 'ready' from memento.embedding_profile where name = 'words'";
    eventually("all chunks have vectors", || {
        let missing: i64 = client.query_one(MISSING, &[]).unwrap().get(0);
        let indexed: bool = client.query_one(INDEXED, &[]).unwrap().get(0);
        (missing == 0 && indexed).then_some(())
    });
}

/// Excerpt and lanes of each result.
fn search(client: &mut Client, query: &str, k: i32) -> Vec<(String, Value)> {
    client
        .query("select excerpt, lanes::text from memento.search($1, $2)", &[&query, &k])
        .unwrap()
        .iter()
        .map(|row| (row.get(0), serde_json::from_str(row.get(1)).unwrap()))
        .collect()
}

#[test]
fn lanes_find_what_they_are_for_and_say_so() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    remember(&mut client, "The deployment failed with ECONNRESET on db-7.internal after the upgrade.");
    remember(&mut client, "Deployments are made on Tuesdays by the platform team.");
    remember(&mut client, "Lunch is at noon.");
    wait_until_embedded(&mut client);
    let found = search(&mut client, "ECONNRESET deployment", 10);
    assert!(found[0].0.contains("ECONNRESET"), "{found:?}");
    for lane in ["fts", "dense", "tech_token"] {
        assert_eq!(found[0].1[lane]["rank"], 1, "{lane}: {found:?}");
    }
    assert_eq!(found[0].1["tech_token"]["tokens"], serde_json::json!(["econnreset"]));
    let found = search(&mut client, "noon lunch", 10);
    assert!(found[0].0.starts_with("Lunch"), "{found:?}");
    assert!(found[0].1.get("tech_token").is_none(), "{found:?}");
}

#[test]
fn an_identifier_is_in_the_top_k_whatever_the_others_think() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    remember(&mut client, "PAY-4012 was seen once.");
    for number in 0..30 {
        remember(&mut client, &format!("payment gateway time-out number {number} payment gateway time-out"));
    }
    wait_until_embedded(&mut client);
    for k in [1, 2, 10] {
        let found = search(&mut client, "payment gateway time-out number payment gateway PAY-4012", k);
        assert_eq!(found.len(), k as usize);
        assert!(found.iter().any(|(text, _)| text.contains("PAY-4012")), "k = {k}: {found:?}");
    }
}

#[test]
fn every_item_with_the_identifier_comes_before_a_second_passage_of_another() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    let section = |n: i32| format!("## Part {n}\n\n{}\n\n", "PAY-4012 and PAY-4012 once more ".repeat(100));
    for _ in 0..3 {
        remember(&mut client, &(0..4).map(section).collect::<String>());
    }
    for number in 0..3 {
        remember(&mut client, &format!("{} PAY-4012 {number}", "Nothing else is said about it. ".repeat(20)));
    }
    wait_until_embedded(&mut client);
    for (k, items) in [(6, 6_i64), (4, 4)] {
        let statement = "select count(distinct item_id) from memento.search('PAY-4012', $1)";
        let found: i64 = client.query_one(statement, &[&k]).unwrap().get(0);
        assert_eq!(found, items, "k = {k}");
    }
}

#[test]
fn the_same_rows_and_query_give_the_same_result() {
    let cluster = Cluster::start();
    let (database, mut client) = with_vectors(&cluster);
    for number in 0..40 {
        remember(&mut client, &format!("retry of job {} in lane {}", number % 4, number % 3));
    }
    wait_until_embedded(&mut client);
    let first = search(&mut client, "retry job lane", 25);
    assert_eq!(first.len(), 25);
    for _ in 0..3 {
        assert_eq!(search(&mut cluster.connect(&database), "retry job lane", 25), first);
    }
    client.batch_execute("analyze").unwrap();
    assert_eq!(search(&mut client, "retry job lane", 25), first);
}

#[test]
fn a_lane_that_fails_or_takes_too_long_leaves_the_others() {
    let cluster = Cluster::start();
    let (database, mut client) = with_vectors(&cluster);
    remember(&mut client, "the ledger is closed at midnight");
    wait_until_embedded(&mut client);
    // A function that only this lane uses is gone.
    client.batch_execute("alter function memento._index_name(uuid) rename to _gone").unwrap();
    let found = search(&mut client, "ledger midnight", 5);
    assert_eq!(found.len(), 1);
    assert!(found[0].1.get("fts").is_some() && found[0].1.get("dense").is_none(), "{found:?}");
    client.batch_execute("alter function memento._gone(uuid) rename to _index_name").unwrap();
    assert!(search(&mut client, "ledger midnight", 5)[0].1.get("dense").is_some());
    // Somebody holds a table that only this lane reads.
    let mut other = cluster.connect(&database);
    let mut held = other.transaction().unwrap();
    held.batch_execute("lock table memento.chunk_embedding").unwrap();
    client.batch_execute("set memento.lane_timeout = '100ms'").unwrap();
    let found = search(&mut client, "ledger midnight", 5);
    assert!(found[0].1.get("fts").is_some() && found[0].1.get("dense").is_none(), "{found:?}");
    // A time limit of the statement is not ours to take.
    client.batch_execute("set memento.lane_timeout = '60s'; set statement_timeout = '200ms'").unwrap();
    let cancelled = client.query("select * from memento.search('ledger')", &[]).unwrap_err();
    assert_eq!(cancelled.code().unwrap().code(), "57014");
    held.rollback().unwrap();
    client.batch_execute("reset statement_timeout").unwrap();
    assert_eq!(search(&mut client, "ledger midnight", 5).len(), 1, "the session goes on");
}

#[test]
fn settings_are_as_before_and_read_only_transactions_search() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    remember(&mut client, "alpha beta gamma");
    wait_until_embedded(&mut client);
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("set transaction read only; set local hnsw.ef_search = 77").unwrap();
    let found = transaction.query("select lanes::text from memento.search('beta')", &[]).unwrap();
    assert!(found[0].get::<_, String>(0).contains("dense"));
    let show = |transaction: &mut postgres::Transaction, name: &str| -> String {
        transaction.query_one(&format!("show {name}"), &[]).unwrap().get(0)
    };
    assert_eq!(show(&mut transaction, "hnsw.ef_search"), "77");
    assert_eq!(show(&mut transaction, "enable_sort"), "on");
}

#[test]
fn a_standby_searches_and_says_that_it_keeps_no_pack() {
    let cluster = Cluster::start();
    let (database, mut client) = with_vectors(&cluster);
    remember(&mut client, "the ledger is closed at midnight");
    wait_until_embedded(&mut client);
    let standby = cluster.standby();
    let mut reader = standby.connect(&database);
    let found = eventually("the standby has caught up", || search(&mut reader, "ledger midnight", 5).pop());
    assert!(found.1.get("fts").is_some() && found.1.get("dense").is_some(), "{found:?}");
    let row = reader
        .query_one(
            "select p ->> 'query_id', p #>> '{notes,not_stored_because}' from memento.retrieve('ledger') p",
            &[],
        )
        .unwrap();
    assert_eq!((row.get(0), row.get(1)), (None::<String>, Some("the transaction is read-only".to_owned())));
}

/// Memories of one chunk each with vectors as of five words, and noise, written past remember(): what the text says does not
/// matter, the numbers do. Every thousandth is tagged.
fn fill(client: &mut Client, project: &str, chunks: i32) {
    client
        .batch_execute(&format!(
            "do $$
             declare p uuid := (select project_id from memento.project where name = '{project}');
             begin
               perform setseed(0.5);
               insert into memento.commit (project_id, commit_id, created_by, operation) values (p, p, 'test', 'test');
               insert into memento.item (project_id, item_id, tags)
                 select p, md5(p || n::text)::uuid, case when n % 1000 = 0 then array['rare'] else '{{}}' end
                   from generate_series(1, {chunks}) n;
               insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash)
                 select p, item_id, item_id, 1, p, item_id::text, sha256(item_id::text::bytea) from memento.item where project_id = p;
               insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens, rules_version, terms_version)
                 select p, version_id, 0, 0, length(content), 1, 'paragraph', content, '{{}}', 1, 0 from memento.version where project_id = p;
               insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
                 select p, c.chunk_id, e.profile_id, (select array_agg((d % 64 = any (w))::int + random() / 10 order by d) from generate_series(1, 64) d)::vector
                   from memento.chunk c, memento.embedding_profile e,
                        lateral (select array_agg(floor(random() * 64)::int) as w from generate_series(1, 5 + 0 * c.ordinal)) x
                  where c.project_id = p and e.name = 'words';
             end $$"
        ))
        .unwrap_or_else(|error| panic!("{error:?}"));
}

/// The chunks nearest to a query, by comparing all.
const NEAREST: &str = "
  select e.chunk_id from memento.chunk_embedding e join memento.chunk c using (project_id, chunk_id)
    join memento.version v using (project_id, version_id) join memento.item i using (project_id, item_id)
   where e.project_id = (select memento.current_project()) and (not $3 or 'rare' = any (i.tags))
   order by e.embedding <=> (select embedding::vector from memento.embed(array[$1])), e.chunk_id limit $2::int";

const FOUND: &str = "
  select chunk_id from memento.search($1, $2, case when $3 then '{\"tags_any\": [\"rare\"]}'::jsonb else '{}' end)";

fn chunks(client: &mut Client, statement: &str, query: &str, k: i32, rare: bool) -> Vec<i64> {
    client.query(statement, &[&query, &k, &rare]).unwrap().iter().map(|row| row.get(0)).collect()
}

#[test]
fn one_index_serves_large_and_small_projects_and_rare_filters() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    client
        .batch_execute(
            "select memento.create_project('large'), memento.create_project('small');
             select memento.use_project('large'), memento.embedding_profiles_activate('words', true);
             select memento.use_project('small'), memento.embedding_profiles_activate('words', true);",
        )
        .unwrap();
    fill(&mut client, "large", 15_000);
    fill(&mut client, "small", 40);
    wait_until_embedded(&mut client);
    for analyzed in [false, true] {
        if analyzed {
            client.batch_execute("analyze").unwrap();
        }
        // Made-up vectors are hard for a graph: this is about a scan that works at all.
        for (project, k, rare, least) in
            [("small", 10, false, 1.0), ("large", 10, false, 0.6), ("large", 10, true, 1.0)]
        {
            client.execute("select memento.use_project($1)", &[&project]).unwrap();
            let (mut same, mut all) = (0, 0);
            for query in ["alpha", "beta", "gamma delta", "epsilon"] {
                let found = chunks(&mut client, FOUND, query, k, rare);
                assert_eq!(found.len(), k as usize, "{project}, rare {rare}: never short");
                let nearest = chunks(&mut client, NEAREST, query, k, rare);
                all += nearest.len();
                same += nearest.iter().filter(|chunk| found.contains(chunk)).count();
            }
            let recall = same as f64 / all as f64;
            assert!(recall >= least, "{project}, rare {rare}, analyzed {analyzed}: {recall}");
        }
        client.execute("select memento.use_project('small')", &[]).unwrap();
        assert_eq!(chunks(&mut client, FOUND, "alpha", 1000, false).len(), 40, "all that there is");
    }
}

#[test]
fn one_document_does_not_fill_the_result() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    let section = |n: i32| format!("## Part {n}\n\n{}\n\n", "backup of the archive ".repeat(150));
    remember(&mut client, &(0..8).map(section).collect::<String>());
    remember(&mut client, "One backup is no backup.");
    wait_until_embedded(&mut client);
    let items: Vec<bool> = client
        .query("select excerpt like 'One%' from memento.search('backup archive', 5)", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(items.len(), 5, "the rest of the document fills the result");
    assert!(items[..4].contains(&true), "three of the document come before others: {items:?}");
}

#[test]
fn hostile_queries_are_answered() {
    let cluster = Cluster::start();
    let (_, mut client) = with_vectors(&cluster);
    remember(&mut client, "it's a 100% plain text & nothing | else");
    wait_until_embedded(&mut client);
    let long = "a:* & !(b <-> c) \\ ' \" ".repeat(40_000);
    for query in
        ["", " ", "the", "!!!", "'", "\\", "a & | b", "<->", ":*", "\u{202e}abc", &long, "plain\ttext\n"]
    {
        search(&mut client, query, 5);
    }
    for k in [0, -1, 1_000_000] {
        let refused = client.query("select * from memento.search('x', $1)", &[&k]);
        memento_tests::failure::assert_failure(refused, "22023", "VALIDATION_ERROR");
    }
}

#[test]
fn one_long_document_does_not_hide_the_others() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let sections: Vec<String> = (0..180)
        .map(|number| {
            format!(
                "## Part {number}\n\nerror error error in part {number}: {}\n",
                "it went on and on ".repeat(60)
            )
        })
        .collect();
    client
        .execute("select memento.remember($1, title => 'log', kind => 'doc')", &[&sections.concat()])
        .unwrap();
    for number in 0..20 {
        let note = format!("Note {number}: what to do about an error, {}", "in many words ".repeat(number));
        client.execute("select memento.remember($1)", &[&note]).unwrap();
    }
    let items: i32 = client
        .query_one("select jsonb_array_length(memento.memory_search('error', 20) -> 'results')", &[])
        .unwrap()
        .get(0);
    assert_eq!(items, 20);
    let quotes: i32 = client
        .query_one(
            "select jsonb_array_length(memento.retrieve('error', max_total_chars => 20000) -> 'quotes')",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(quotes, 8);
    let of_others = "select count(distinct item_id) from memento.search('error', 10)";
    assert!(client.query_one(of_others, &[]).unwrap().get::<_, i64>(0) > 7, "three are of the log at most");
}

#[test]
fn what_was_archived_later_is_found_as_of_then() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client, "The heron nests in the reed.");
    let then: String = client.query_one("select clock_timestamp()::text", &[]).unwrap().get(0);
    client.batch_execute("select memento.memory_archive(item_id) from memento.item").unwrap();
    let found = |client: &mut Client, as_of: &str| {
        let statement = format!("select count(*) from memento.search('heron', as_of => {as_of})");
        client.query_one(&statement, &[]).unwrap().get::<_, i64>(0)
    };
    assert_eq!(found(&mut client, &format!("'{then}'")), 1);
    assert_eq!(found(&mut client, "now()"), 0);
    assert_eq!(found(&mut client, "null"), 0);
}
