//! The server is killed under load, again and again: what was acknowledged is there, and nothing is half written.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memento_tests::Cluster;
use postgres::Client;

const CRASHES: u64 = 4;
const WRITERS: usize = 4;

/// Each gives the rows that must not be.
const INVARIANTS: [(&str, &str); 7] = [
    (
        "items have a version",
        "select from memento.item i where not exists (select from memento.version v where v.item_id = i.item_id)",
    ),
    (
        "exactly one version is the latest",
        "select from memento.version group by item_id having count(*) filter (where is_latest) <> 1",
    ),
    (
        "numbers have no gaps",
        "select from memento.version group by item_id having max(version_num) <> count(*) or min(version_num) <> 1",
    ),
    (
        "hashes are those of the contents",
        "select from memento.version where content_hash <> sha256(convert_to(content, 'UTF8'))",
    ),
    (
        "versions have chunks",
        "select from memento.version v where not exists (select from memento.chunk c where c.version_id = v.version_id)",
    ),
    (
        "chunks are slices",
        "select from memento.chunk c join memento.version v using (project_id, version_id)
          where substr(v.content, c.start_char + 1, c.end_char - c.start_char) <> c.chunk_text",
    ),
    (
        "commits with a key are whole",
        "select from memento.commit k left join memento.version v using (project_id, commit_id)
          where k.idempotency_key is not null group by k.commit_id having count(v.version_id) <> 2",
    ),
];

/// Writes until the connection breaks; notes what the server has acknowledged.
fn write(
    cluster: &Cluster,
    database: &str,
    writer: usize,
    round: u64,
    acknowledged: &Mutex<Vec<String>>,
    stop: &AtomicBool,
) {
    let Ok(mut client) = cluster.try_connect("postgres", database) else { return };
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let name = format!("{round}-{writer}-{number}");
        if statement(&mut client, writer, &name).is_err() {
            return;
        }
        if writer.is_multiple_of(2) {
            acknowledged.lock().unwrap().push(name);
        }
    }
}

fn statement(client: &mut Client, writer: usize, name: &str) -> Result<u64, postgres::Error> {
    match writer % 4 {
        0 => client.execute(
            "select memento.remember('# Note ' || $1 || E'\n\nText of it.', source_system => 's', source_id => $1)",
            &[&name],
        ),
        2 => client.execute(
            "select memento.memory_commit(jsonb_build_array(
                 jsonb_build_object('content', 'one of ' || $1), jsonb_build_object('content', 'two of ' || $1)), $1)",
            &[&name],
        ),
        1 => client.execute("select memento.remember('changing ' || $1, source_system => 's', source_id => 'same')", &[&name]),
        _ => client.execute("select memento.forget(source_system => 's', source_id => 'same') where $1 <> ''", &[&name]),
    }
}

#[test]
fn nothing_is_lost_or_half_written_when_the_server_is_killed() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let acknowledged = Mutex::new(Vec::new());
    for round in 0..CRASHES {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (cluster, database, acknowledged, stop) = (&cluster, &database, &acknowledged, &stop);
                scope.spawn(move || write(cluster, database, writer, round, acknowledged, stop));
            }
            // Not a wait for a condition: the moment of the crash is meant to be any.
            std::thread::sleep(Duration::from_millis(400 + 170 * round));
            cluster.stop("immediate");
            stop.store(true, Ordering::Relaxed);
        });
        cluster.boot();
        let mut client = cluster.connect(&database);
        for (rule, violations) in INVARIANTS {
            let count: i64 =
                client.query_one(&format!("select count(*) from ({violations}) v"), &[]).unwrap().get(0);
            assert_eq!(count, 0, "round {round}: {rule}");
        }
        let names = acknowledged.lock().unwrap();
        let kept: i64 = client
            .query_one(
                "select count(*) from unnest($1::text[]) name
                  where exists (select from memento.item where source_id = name)
                     or exists (select from memento.commit where idempotency_key = name)",
                &[&*names],
            )
            .unwrap()
            .get(0);
        assert_eq!(kept, names.len() as i64, "round {round}: what was acknowledged is there");
        assert!(!names.is_empty(), "round {round}: something was written");
    }
}
