//! Searches where much matches: frequent words and identifiers, filters that frequent words are not about, vectors with and without
//! their index.

use memento_tests::cluster::Settings;
use memento_tests::{Cluster, Server};
use postgres::Client;
use serde_json::Value;

/// How many memories of one chunk each there are.
const CHUNKS: i32 = 16_000;

/// A cluster without a worker whose default project has memories, written past remember(), counted and analysed: three of ten have
/// `build`, a seventh `alpha`, a seventh `beta`, and few both; each is a minute younger than the one before. One in a thousand has a
/// rare tag and speaks of Ana Lima. Vectors are of 64 dimensions and mean nothing.
fn many(vectors: bool) -> (Cluster, Client) {
    let lines = vec!["memento.worker = off".to_owned()];
    let cluster = Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() });
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(&format!(
            "set session_replication_role = replica;
             create function pg_temp.p() returns uuid language sql immutable as $$ select '00000000-0000-0000-0000-000000000001'::uuid $$;
             create temp table filling as
               select n, md5(n::text)::uuid as id, timestamptz '2026-01-01' + n * interval '1 minute' as at,
                      format('chunk %s says w%s', n, n % 50) || case when n % 10 < 3 then ' build failed' else '' end
                        || case when n % 7 = 0 then ' alpha' else '' end || case when n % 7 = 1 or n % 2100 = 0 then ' beta' else '' end
                        || case when n = 77 then ' INC-77' else '' end || case when n % 1000 = 3 then ' Ana Lima' else '' end as content
                 from generate_series(1, {CHUNKS}) n;
             insert into memento.commit (project_id, commit_id, created_by, operation) values (pg_temp.p(), pg_temp.p(), 'test', 'test');
             insert into memento.item (project_id, item_id, title, tags, created_at)
               select pg_temp.p(), id, 'Title ' || n, case when n % 1000 = 3 then array['rare'] else '{{}}' end, at from filling;
             insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash, created_at)
               select pg_temp.p(), id, id, 1, pg_temp.p(), content, sha256(convert_to(content, 'UTF8')), at from filling;
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens,
                                        rules_version, terms_version)
               select pg_temp.p(), id, 0, 0, length(content), 1, 'paragraph', content,
                      memento.tech_tokens(content) || case when n % 10 < 3 then array['build'] else '{{}}' end, memento._rules_version(), 0
                 from filling order by n;
             insert into memento.entity (project_id, entity_id, entity_type, canonical_name)
               values (pg_temp.p(), memento._entity_id('person', 'Ana Lima'), 'person', 'Ana Lima');
             insert into memento.entity_mention (project_id, version_id, entity_id, start_char, end_char, surface)
               select pg_temp.p(), id, memento._entity_id('person', 'Ana Lima'), length(content) - 8, length(content), 'Ana Lima'
                 from filling where n % 1000 = 3;
             set session_replication_role = origin;
             select memento._count_words(pg_temp.p(), 1000000)"
        ))
        .unwrap();
    if vectors {
        embed(&mut client);
    }
    client.batch_execute("analyze").unwrap();
    (cluster, client)
}

/// Vectors as of five words, and noise.
fn embed(client: &mut Client) {
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 64), memento.embedding_profiles_activate('words', true), setseed(0.5);
             insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
               select c.project_id, c.chunk_id, e.profile_id,
                      (select array_agg((d % 64 = any (w))::int + random() / 10 order by d) from generate_series(1, 64) d)::vector
                 from memento.chunk c, memento.embedding_profile e,
                      lateral (select array_agg(floor(random() * 64)::int) as w from generate_series(1, 5 + 0 * c.ordinal)) x
                where e.name = 'words'",
        )
        .unwrap();
}

/// Builds the index of vectors, as the worker does.
fn index(client: &mut Client) {
    let commands = "select memento._index_commands(profile_id, false) from memento.embedding_profile where name = 'words'";
    for command in client.query(commands, &[]).unwrap() {
        client.batch_execute(command.get(0)).unwrap();
    }
}

/// Excerpt and lanes of each result.
fn search(
    client: &mut Client,
    query: &str,
    k: i32,
    filters: &str,
    as_of: Option<&str>,
) -> Vec<(String, Value)> {
    client
        .query(
            "select excerpt, lanes::text from memento.search($1, $2, $3::text::jsonb, $4::text::timestamptz)",
            &[&query, &k, &filters, &as_of],
        )
        .unwrap()
        .iter()
        .map(|row| (row.get(0), serde_json::from_str(row.get(1)).unwrap()))
        .collect()
}

/// What a pack's notes say about a lane.
fn note(client: &mut Client, lane: &str, query: &str, filters: &str) -> Value {
    let note = "select (memento.retrieve($1, filters => $2::text::jsonb, max_evidence_items => 3, store => false) #> array['notes', 'retrieval', 'lane_details', $3])::text";
    serde_json::from_str(client.query_one(note, &[&query, &filters, &lane]).unwrap().get(0)).unwrap()
}

/// The number that a memory says it has.
fn number(excerpt: &str) -> i32 {
    excerpt.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Memories before and after the eight thousandth.
const OLD: &str = r#"{"created_before": "2026-01-06T13:20:00Z"}"#;
const NEW: &str = r#"{"created_after": "2026-01-06T13:20:00Z"}"#;

#[test]
fn a_frequent_identifier_hides_no_rare_one() {
    let (_cluster, mut client) = many(false);
    let found = search(&mut client, "build failed INC-77", 10, "{}", None);
    assert!(found[0].0.contains("INC-77"), "{found:?}");
    assert_eq!(
        found[0].1["tech_token"]["tokens"],
        serde_json::json!(["inc-77"]),
        "it is the only one with it"
    );
    // Of many that have it, some are found: the same each time, and in what a filter leaves.
    let first = search(&mut client, "build", 20, "{}", None);
    assert!(first.len() == 20 && first.iter().all(|(text, _)| text.contains("build")), "{first:?}");
    assert!(first.iter().any(|(_, lanes)| lanes.get("tech_token").is_some()), "{first:?}");
    client.batch_execute("analyze").unwrap();
    assert_eq!(search(&mut client, "build", 20, "{}", None), first);
    for (filters, is_wanted) in
        [(OLD, (|n| n < 8000) as fn(i32) -> bool), (NEW, |n| n >= 8000), (RARE, |n| n % 1000 == 3)]
    {
        let found = search(&mut client, "vs build", 10, filters, None);
        assert!(found.iter().all(|(text, _)| is_wanted(number(text))), "{filters}: {found:?}");
        let has_token = |(_, lanes): &(String, Value)| lanes.get("tech_token").is_some();
        assert_eq!(found.iter().any(has_token), filters != RARE, "{filters}: {found:?}");
    }
    let then = search(&mut client, "build INC-77", 10, "{}", Some("2026-01-01T02:00:00Z"));
    assert!(then[0].0.contains("INC-77") && then.iter().all(|(text, _)| number(text) <= 120), "{then:?}");
}

const RARE: &str = r#"{"tags_any": ["rare"]}"#;

#[test]
fn frequent_words_are_found_in_what_a_filter_leaves() {
    let (_cluster, mut client) = many(false);
    // More matches than are read, all of them newer or older than what is wanted.
    for (filters, is_wanted) in
        [(OLD, (|n| n < 8000) as fn(i32) -> bool), (NEW, |n| n >= 8000), (RARE, |n| n % 1000 == 3)]
    {
        let found = search(&mut client, "chunk says", 10, filters, None);
        assert_eq!(found.len(), 10, "{filters}: {found:?}");
        assert!(found.iter().all(|(text, _)| is_wanted(number(text))), "{filters}: {found:?}");
    }
    let then = search(&mut client, "chunk says", 10, "{}", Some("2026-01-01T02:00:00Z"));
    assert!(then.len() == 10 && then.iter().all(|(text, _)| number(text) <= 120), "{then:?}");
    // Words that seldom stand together, and those that have both come first.
    let both = search(&mut client, "alpha beta", 7, "{}", None);
    assert!(both.iter().all(|(text, _)| number(text) % 2100 == 0), "{both:?}");
    assert!(search(&mut client, "nobody says so", 10, OLD, None).iter().all(|(text, _)| number(text) < 8000));
}

#[test]
fn before_words_are_counted_they_are_found() {
    let (_cluster, mut client) = many(false);
    client.batch_execute("delete from memento.lexical_stat; delete from memento.lexeme_stat; delete from memento.lexical_counted").unwrap();
    for (query, word) in [("chunk says build", "build"), ("alpha beta", "a"), ("INC-77", "INC-77")] {
        let found = search(&mut client, query, 5, "{}", None);
        assert!(found.iter().any(|(text, _)| text.contains(word)), "{query}: {found:?}");
    }
}

#[test]
fn former_versions_take_no_place_of_the_latest() {
    let (_cluster, mut client) = many(false);
    // Forty items that have been written twelve times, each time with the same rare word.
    client
        .batch_execute(
            "do $$ begin
               for version in 1..12 loop
                 perform memento.remember(format('harbour %s of %s', version, n), source_system => 'test', source_id => n::text) from generate_series(1, 40) n;
               end loop;
             end $$;
             analyze",
        )
        .unwrap();
    let found = search(&mut client, "harbour", 40, "{}", None);
    assert_eq!(found.len(), 40);
    assert!(found.iter().all(|(text, _)| text.starts_with("harbour 12")), "{found:?}");
}

#[test]
fn what_mentions_somebody_is_found_where_she_is_mentioned() {
    let (_cluster, mut client) = many(true);
    let filters = r#"{"entities": ["ANA  lima", "Ana Lima"]}"#;
    for query in ["chunk says", "build", "Ana"] {
        let found = search(&mut client, query, 50, filters, None);
        assert_eq!(found.len(), 16, "{query}: {found:?}");
        assert!(found.iter().all(|(text, _)| number(text) % 1000 == 3), "{query}: {found:?}");
        assert_eq!(note(&mut client, "dense", query, filters)["hits"], 16, "{query}");
    }
    let one = r#"{"entities": ["Ana Lima"], "tags_any": ["rare"], "created_before": "2026-01-01T12:00:00Z"}"#;
    assert_eq!(search(&mut client, "chunk", 50, one, None).len(), 1);
    assert!(search(&mut client, "chunk", 50, r#"{"entities": ["Nobody"]}"#, None).is_empty());
}

/// The nearest of all, by comparing.
const NEAREST: &str = "
  select v.content from memento.chunk_embedding e join memento.chunk c using (project_id, chunk_id) join memento.version v using (project_id, version_id)
   where v.created_at <= $2::text::timestamptz
   order by (e.embedding <=> (select embedding::vector from memento.embed(array[$1]))) + 0, e.chunk_id limit 10";

#[test]
fn vectors_are_compared_exactly_with_and_without_an_index() {
    let (_cluster, mut client) = many(true);
    for is_indexed in [false, true] {
        if is_indexed {
            index(&mut client);
        }
        for as_of in ["2027-01-01", "2026-01-05"] {
            let query = "neither word stands anywhere";
            let nearest: Vec<String> =
                client.query(NEAREST, &[&query, &as_of]).unwrap().iter().map(|row| row.get(0)).collect();
            let found = search(&mut client, query, 10, "{}", Some(as_of));
            assert_eq!(
                found.iter().map(|(text, _)| text).collect::<Vec<_>>(),
                nearest.iter().collect::<Vec<_>>(),
                "{as_of}"
            );
        }
        assert_eq!(note(&mut client, "dense", "neither", RARE)["used"], "exact");
    }
}

/// Three former versions of each memory, with the same vectors.
fn add_former(client: &mut Client) {
    client
        .batch_execute(
            "set session_replication_role = replica;
             create temp table former as select c.*, gen_random_uuid() as former_id, n from memento.chunk c, generate_series(1, 3) n;
             insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash, created_at, superseded_at, is_latest)
               select f.project_id, f.former_id, v.item_id, f.n + 1, v.commit_id, v.content, v.content_hash, v.created_at, v.created_at, false
                 from former f join memento.version v using (project_id, version_id);
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens,
                                        rules_version, terms_version)
               select project_id, former_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens, rules_version, terms_version
                 from former;
             insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
               select c.project_id, c.chunk_id, e.profile_id, e.embedding
                 from former f join memento.chunk c on c.version_id = f.former_id join memento.chunk_embedding e on e.chunk_id = f.chunk_id;
             set session_replication_role = origin;
             analyze",
        )
        .unwrap();
}

#[test]
fn the_index_of_vectors_is_used_where_it_is_cheaper() {
    let (_cluster, mut client) = many(true);
    add_former(&mut client);
    assert_eq!(note(&mut client, "dense", "neither", "{}")["used"], "exact", "there is none");
    index(&mut client);
    assert_eq!(note(&mut client, "dense", "neither", "{}")["used"], "index");
    assert_eq!(note(&mut client, "dense", "neither", RARE)["used"], "exact");
    // What is near is of former versions for the most part, or of others than the filter wants: never short.
    for filters in ["{}", RARE, OLD, NEW] {
        let query = "neither word stands anywhere";
        assert_eq!(search(&mut client, query, 10, filters, None).len(), 10, "{filters}");
        let note = note(&mut client, "dense", query, filters);
        assert!(note["hits"].as_i64() >= Some(10), "{note}");
    }
}

/// How many items the statements of this transaction have read. Each chunk that is looked at with what it belongs to reads one.
fn items_read(transaction: &mut postgres::Transaction) -> i64 {
    let read = "select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables where relid = 'memento.item'::regclass";
    transaction.query_one(read, &[]).unwrap().get(0)
}

#[test]
fn what_is_read_does_not_grow_with_what_matches() {
    let (_cluster, mut client) = many(true);
    // All vectors are compared, but not all that they belong to looked up; and neither are all that have the identifier.
    for (query, most) in [("neither word stands anywhere", 1500), ("build INC-77", 4000)] {
        let mut transaction = client.transaction().unwrap();
        transaction.query("select from memento.search($1)", &[&query]).unwrap();
        let read = items_read(&mut transaction);
        assert!(read <= most, "{query}: {read}");
    }
}

#[test]
fn similarity_is_on_the_scale_of_the_cosine_whatever_the_distance() {
    let cluster = Cluster::start_with(
        Server::from_environment(),
        Settings { lines: vec!["memento.worker = off".to_owned()], ..Settings::default() },
    );
    let mut client = cluster.connect(&cluster.database());
    for text in ["the ledger is closed", "lunch is at noon", "the ledger was lost"] {
        client.execute("select memento.remember($1)", &[&text]).unwrap();
    }
    let mut scores: Vec<Vec<f64>> = Vec::new();
    for distance in ["cosine", "l2", "ip"] {
        client
            .batch_execute(&format!(
                "select memento.embedding_profiles_upsert('{distance}', 'hash', 'words', 64, '{distance}');
                 select memento.embedding_profiles_activate('{distance}', true);
                 insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
                   select c.project_id, c.chunk_id, e.profile_id, (select embedding::vector from memento.embed(array[c.chunk_text]))
                     from memento.chunk c, memento.embedding_profile e where e.name = '{distance}'"
            ))
            .unwrap();
        let found = search(&mut client, "the ledger is closed", 3, "{}", None);
        scores.push(found.iter().filter_map(|(_, lanes)| lanes["dense"]["score"].as_f64()).collect());
    }
    assert_eq!(scores[0].len(), 3);
    for other in &scores[1..] {
        let far: f64 = scores[0].iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(other.len() == 3 && far < 1e-4, "{scores:?}");
    }
}

#[test]
fn former_versions_do_not_make_an_identifier_frequent() {
    let (_cluster, mut client) = many(false);
    // A document with an identifier in ten sections, edited 260 times, and enough that is newer than it.
    client
        .batch_execute(
            "set session_replication_role = replica;
             insert into memento.item (project_id, item_id, title) values (pg_temp.p(), md5('edited')::uuid, 'Edited'), (pg_temp.p(), md5('newer')::uuid, 'Newer');
             insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash, created_at, superseded_at, is_latest)
               select pg_temp.p(), md5('edited ' || n)::uuid, md5('edited')::uuid, n, pg_temp.p(), 'x', sha256('x'), now() - interval '1 day',
                      case when n < 260 then now() - interval '1 day' end, n = 260 from generate_series(1, 260) n
               union all select pg_temp.p(), md5('newer')::uuid, md5('newer')::uuid, 1, pg_temp.p(), 'x', sha256('x'), now(), null, true;
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens,
                                        rules_version, terms_version)
               select pg_temp.p(), md5('edited ' || n)::uuid, o, 0, 24, 1, 'paragraph', 'section ' || o || ' on PAY-4012', '{pay-4012}', memento._rules_version(), 0
                 from generate_series(1, 260) n, generate_series(0, 9) o order by n, o;
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens,
                                        rules_version, terms_version)
               select pg_temp.p(), md5('newer')::uuid, o, 0, 24, 1, 'paragraph', 'newer part ' || o, '{}', memento._rules_version(), 0
                 from generate_series(0, 4999) o;
             set session_replication_role = origin;
             analyze",
        )
        .unwrap();
    let found = search(&mut client, "PAY-4012", 10, "{}", None);
    let holders =
        found.iter().filter(|(_, lanes)| lanes["tech_token"]["tokens"] == serde_json::json!(["pay-4012"]));
    assert!(holders.count() > 5, "{found:?}");
}

#[test]
fn a_filter_does_not_hide_an_identifier_that_many_chunks_have() {
    let (_cluster, mut client) = many(false);
    // Nearly all of the 4,800 that have `build` are old or new; the filter leaves a hundred in the middle.
    let middle = r#"{"created_after": "2026-01-06T12:00:00Z", "created_before": "2026-01-06T14:00:00Z"}"#;
    let found = search(&mut client, "`build`", 10, middle, None);
    assert!(!found.is_empty());
    for (excerpt, lanes) in &found[..10] {
        assert_eq!(lanes["tech_token"]["tokens"], serde_json::json!(["build"]), "{excerpt}: {lanes}");
    }
}
