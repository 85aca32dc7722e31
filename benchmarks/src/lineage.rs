//! Events stored and walked, beside plain inserts into the same table with the same indexes and without triggers, and beside
//! the SQL that the specification proposes. MEMENTO_EVENTS says how many events there are.

use std::path::Path;
use std::time::{Duration, Instant};

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

/// How many events are loaded at once; the statement that makes them has that number.
const BATCH: usize = 100_000;
/// How many events are inserted one by one into each table.
const SINGLE: usize = 2000;
/// How many walks of each kind are timed.
const WALKS: usize = 500;

const COLUMNS: &str = "event_id, parent_uuid, event_type, event_data, session_id, project_id";
const ALL_COLUMNS: &str =
    "event_id, parent_uuid, event_type, event_data, session_id, project_id, root_uuid, depth, parent_depth";

/// Prints how long both take, at the median and at the 95th percentile, and their ratios.
pub fn run() {
    let (cluster, mut client) = prepared(&["shared_buffers = '1GB'"]);
    load(&mut client, events_or(1_000_000), cluster.directory());
    execute(
        &mut client,
        "analyze memento.event_store; analyze specified.event_store; analyze plain; analyze asked",
    );
    insert_one_by_one(&mut client);
    execute(&mut client, "checkpoint");
    walk_all(&mut client);
}

/// Single inserts and walks among more events, which are loaded without triggers and get their indexes afterwards.
pub fn run_walks() {
    // What is loaded into a table that the same transaction has emptied is not logged.
    let (_cluster, mut client) =
        prepared(&["shared_buffers = '6GB'", "wal_level = minimal", "max_wal_senders = 0"]);
    execute(&mut client, "set session_replication_role = replica; set maintenance_work_mem = '1GB'");
    execute(&mut client, include_str!("lineage/without_indexes.sql"));
    execute(&mut client, "begin; truncate memento.event_store, specified.event_store, plain");
    let started = Instant::now();
    let batches = events_or(10_000_000).div_ceil(BATCH);
    for batch in 0..batches {
        fill_source(&mut client, batch);
        execute(&mut client, include_str!("lineage/load_all.sql"));
    }
    let loaded = started.elapsed();
    execute(&mut client, "select with_indexes(); commit; reset session_replication_role");
    // Each on its own: VACUUM refuses to be one of several statements.
    for table in ["memento.event_store", "specified.event_store", "plain", "asked"] {
        execute(&mut client, &format!("vacuum (analyze) {table}"));
    }
    execute(&mut client, "checkpoint");
    println!(
        "{} events, loaded in {:.0} s, indexes after {:.0} s",
        batches * BATCH,
        loaded.as_secs_f64(),
        started.elapsed().as_secs_f64()
    );
    insert_one_by_one(&mut client);
    execute(&mut client, "checkpoint");
    walk_all(&mut client);
}

fn events_or(default: usize) -> usize {
    std::env::var("MEMENTO_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A cluster with the tables that events are taken from, and those of the specification.
fn prepared(settings: &[&str]) -> (Cluster, Client) {
    let lines = ["max_wal_size = '16GB'", "checkpoint_timeout = '1h'"];
    let lines = lines.iter().chain(settings).map(ToString::to_string).collect();
    let cluster = Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() });
    let mut client = cluster.connect(&cluster.database());
    execute(
        &mut client,
        "create unlogged table source (kind text, c int, p int, event_id uuid, parent_uuid uuid, root_uuid uuid, depth int,
                                       session_id uuid, event_type text, event_data jsonb);
         create unlogged table asked (kind text, event_id uuid)",
    );
    execute(&mut client, include_str!("lineage/specification.sql"));
    execute(&mut client, "create table plain (like memento.event_store including all)");
    (cluster, client)
}

/// Makes the events of a batch, and notes those that walks begin with.
fn fill_source(client: &mut Client, batch: usize) {
    execute(client, "truncate source");
    execute(client, &include_str!("lineage/events.sql").replace("$1", &batch.to_string()));
    execute(
        client,
        "insert into asked select kind, event_id from source
          where (kind, p) in (('chain', 99), ('long', 999), ('tree', 0))",
    );
}

fn walk_all(client: &mut Client) {
    for (what, kind, ours, theirs) in [
        ("chain of 100", "chain", "memento.get_parent_chain", "specified.get_parent_chain"),
        ("chain of 1,000", "long", "memento.get_parent_chain", "specified.get_parent_chain"),
        ("tree of 100", "tree", "memento.get_event_tree", "specified.get_event_tree"),
    ] {
        walk(client, what, kind, ours, theirs);
    }
}

/// Loads batch after batch by COPY, each into every table in turn.
fn load(client: &mut Client, events: usize, directory: &Path) {
    let file = |name: &str| format!("'{}/{name}.copy'", directory.display());
    let (short, long, specified) = (file("short"), file("long"), file("specified"));
    let (mut ours, mut plain, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for batch in 0..events.div_ceil(BATCH) {
        fill_source(client, batch);
        let project = "'00000000-0000-0000-0000-000000000001'::uuid";
        let own = "event_id, parent_uuid, event_type, event_data, session_id";
        execute(
            client,
            &format!(
                "copy (select {own}, {project} from source) to {short};
                 copy (select {own}, {project}, root_uuid, depth, nullif(depth, 0) - 1 from source) to {long};
                 copy (select {own} from source) to {specified}"
            ),
        );
        let mut copy = |times: &mut Vec<Duration>, statement: String| {
            times.push(timed(|| execute(client, &statement)));
        };
        copy(&mut ours, format!("copy memento.event_store ({COLUMNS}) from {short}"));
        copy(&mut plain, format!("copy plain ({ALL_COLUMNS}) from {long}"));
        copy(
            &mut theirs,
            format!(
                "copy specified.event_store (event_id, parent_uuid, event_type, event_data, instance_id) from {specified}"
            ),
        );
    }
    let total = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64();
    println!(
        "COPY of {} events: {:.1} s, plain {:.1} s ({:.2} times), specification {:.1} s",
        ours.len() * BATCH,
        total(&ours),
        total(&plain),
        total(&ours) / total(&plain),
        total(&theirs)
    );
}

/// A child of a random event at a time, committed each, into every table in turn.
fn insert_one_by_one(client: &mut Client) {
    let statements = [
        "insert into memento.event_store (project_id, parent_uuid, event_type, event_data)
         values ('00000000-0000-0000-0000-000000000001', $1, 'error', '{\"code\": 137}')",
        "insert into plain (project_id, parent_uuid, root_uuid, depth, parent_depth, event_type, event_data)
         values ('00000000-0000-0000-0000-000000000001', $1, gen_random_uuid(), 1, 0, 'error', '{\"code\": 137}')",
        "insert into specified.event_store (event_id, parent_uuid, event_type, event_data)
         values (memento.new_event_id(), $1, 'error', '{\"code\": 137}')",
        "select memento.emit_event('error', '{\"code\": 137}', $1)",
    ];
    let prepared = statements.map(|statement| {
        client
            .prepare(&statement.replace("$1", "$1::text::uuid"))
            .unwrap_or_else(|error| panic!("{statement}: {error}"))
    });
    let parents = ids(
        client,
        "select event_id::text from asked where kind = 'chain' order by md5(event_id::text)",
        SINGLE,
    );
    let mut times: [Vec<Duration>; 4] = Default::default();
    for (round, parent) in parents.iter().enumerate() {
        for turn in 0..prepared.len() {
            let which = (round + turn) % prepared.len();
            times[which].push(timed(|| {
                client.execute(&prepared[which], &[parent]).unwrap_or_else(|error| panic!("{error}"));
            }));
        }
    }
    for (name, percent) in [("median", 50), ("p95", 95)] {
        let [ours, plain, theirs, emitted] = [0, 1, 2, 3].map(|which| micros(&mut times[which], percent));
        println!(
            "INSERT of one event, {name}: {ours:.0} us, plain {plain:.0} us ({:.2} times), specification {theirs:.0} us, emit_event {emitted:.0} us",
            ours / plain
        );
    }
}

/// Walks from the same events, ours and theirs in turn.
fn walk(client: &mut Client, what: &str, kind: &str, ours: &str, theirs: &str) {
    let from = ids(
        client,
        &format!("select event_id::text from asked where kind = '{kind}' order by md5(event_id::text)"),
        WALKS,
    );
    let statements = [ours, theirs].map(|function| {
        client
            .prepare(&format!("select * from {function}($1::text::uuid)"))
            .unwrap_or_else(|error| panic!("{error}"))
    });
    let mut times: [Vec<Duration>; 2] = Default::default();
    let mut rows = [0, 0];
    for round in 0..WALKS {
        let event = &from[round % from.len()];
        for turn in 0..2 {
            let which = (round + turn) % 2;
            times[which].push(timed(|| {
                rows[which] += client
                    .query(&statements[which], &[event])
                    .unwrap_or_else(|error| panic!("{error}"))
                    .len();
            }));
        }
    }
    println!("{what}: {} and {} rows", rows[0] / WALKS, rows[1] / WALKS);
    for (name, percent) in [("median", 50), ("p95", 95)] {
        let [a, b] = [0, 1].map(|which| micros(&mut times[which], percent) / 1e3);
        println!("{what}, {name}: {a:.2} ms, specification {b:.2} ms, ratio {:.2}", a / b);
    }
}

fn ids(client: &mut Client, query: &str, limit: usize) -> Vec<String> {
    let rows = client
        .query(&format!("{query} limit {limit}"), &[])
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    rows.iter().map(|row| row.get(0)).collect()
}

fn execute(client: &mut Client, statement: &str) {
    client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn micros(times: &mut [Duration], percent: usize) -> f64 {
    times.sort();
    times[times.len() * percent / 100].as_secs_f64() * 1e6
}
