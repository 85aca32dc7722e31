//! Reading one item, its history and pages of lists while the store grows to a million items: the times should stay flat.

use std::time::{Duration, Instant};

use memento_tests::Cluster;
use postgres::Client;

/// How many items there are, step by step.
const SIZES: [i32; 3] = [10_000, 100_000, 1_000_000];

/// How often each call is timed.
const ROUNDS: usize = 200;

const PROJECT: &str = "00000000-0000-0000-0000-000000000001";

/// The statements behind the calls, with the arguments that the functions bind.
const STATEMENTS: [(&str, &str, &str, &str); 3] = [
    (
        "memory_get",
        include_str!("../../pg_memento/src/spi/queries/get_item.sql"),
        "uuid, uuid, int, timestamptz",
        "$item, null, null",
    ),
    (
        "memory_history",
        include_str!("../../pg_memento/src/spi/queries/item_history.sql"),
        "uuid, uuid, int, int",
        "$item, null, 50",
    ),
    (
        "memory_list",
        concat!(
            include_str!("../../pg_memento/src/spi/queries/wanted_items.sql"),
            include_str!("../../pg_memento/src/spi/queries/list_items.sql")
        ),
        "uuid, boolean, text[], text[], text[], text[], text[], text[], text[], text[], uuid[], uuid[], boolean, boolean, bigint, \
         bigint, int, bigint, uuid",
        "false, null, null, null, null, null, null, null, null, null, null, false, false, null, null, 51, $micros, $item",
    ),
];

/// Prints the median and the 95th percentile at each size, and at the last one how the server gets there.
pub fn run() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let mut items = 0;
    for size in SIZES {
        grow(&mut client, items, size);
        items = size;
        println!("{size} items");
        let calls = [
            ("memory_get", "select memento.memory_get($1::text::uuid)", true),
            ("memory_history, 50 versions", "select memento.memory_history($1::text::uuid)", true),
            ("memory_list, first page", "select memento.memory_list()", false),
            (
                "memory_list, page in the middle",
                "select memento.memory_list(after => (select (extract(epoch from created_at) * 1000000)::bigint || '/' || item_id
                                                        from memento.item where project_id = memento.current_project() and item_id = $1::text::uuid))",
                true,
            ),
            ("memory_list, one kind in a hundred", "select memento.memory_list('{\"kinds\": [\"rare\"]}')", false),
        ];
        for (name, statement, takes_item) in calls {
            let mut times: Vec<Duration> = (0..ROUNDS)
                .map(|round| {
                    let item = item(&mut client, (round * 7919) as i32 % size);
                    let arguments: &[&(dyn postgres::types::ToSql + Sync)] =
                        if takes_item { &[&item] } else { &[] };
                    let start = Instant::now();
                    client.query(statement, arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
                    start.elapsed()
                })
                .collect();
            times.sort();
            let ms = |percent: usize| times[ROUNDS * percent / 100].as_secs_f64() * 1e3;
            println!("  {name}: median {:.2} ms, p95 {:.2} ms", ms(50), ms(95));
        }
    }
    explain(&mut client);
}

/// Adds items up to a size, a commit for each thousand, and fifty versions for each of the first ten of a thousand.
fn grow(client: &mut Client, from: i32, to: i32) {
    let statement = format!(
        "insert into memento.commit (project_id, commit_id, created_by, operation)
         select '{PROJECT}', md5('commit ' || n)::uuid, current_user, 'remember' from generate_series({from} / 1000, ({to} - 1) / 1000) n
         on conflict do nothing;
         insert into memento.item (project_id, item_id, created_at, title, kind)
         select '{PROJECT}', md5(n::text)::uuid, timestamptz '2026-01-01' + n * interval '1 second', 'item ' || n,
                case when n % 100 = 0 then 'rare' else 'note' end
           from generate_series({from}, {to} - 1) n;
         insert into memento.version (project_id, item_id, version_num, commit_id, content, content_hash, created_at, superseded_at, is_latest)
         select '{PROJECT}', md5(n::text)::uuid, v, md5('commit ' || n / 1000)::uuid, c, sha256(convert_to(c, 'UTF8')),
                timestamptz '2026-01-01' + n * interval '1 second' + v * interval '1 ms',
                case when v < last then timestamptz '2026-01-01' + n * interval '1 second' + (v + 1) * interval '1 ms' end, v = last
           from generate_series({from}, {to} - 1) n
          cross join lateral (select case when n % 1000 < 10 then 50 else 1 end as last) l
          cross join lateral generate_series(1, last) v
          cross join lateral (select 'What item ' || n || ' says in version ' || v || '. ' || repeat('More of it. ', 20) as c) t;"
    );
    client.batch_execute(&statement).unwrap_or_else(|error| panic!("{error}"));
    client
        .batch_execute("vacuum analyze memento.item, memento.version, memento.commit")
        .unwrap_or_else(|error| panic!("{error}"));
}

fn item(client: &mut Client, number: i32) -> String {
    client
        .query_one("select md5($1::int::text)::uuid::text", &[&number])
        .unwrap_or_else(|error| panic!("{error}"))
        .get(0)
}

fn explain(client: &mut Client) {
    let item = item(client, 500_000);
    let micros: i64 = client
        .query_one(
            "select (extract(epoch from created_at) * 1000000)::bigint from memento.item where item_id = $1::text::uuid",
            &[&item],
        )
        .unwrap_or_else(|error| panic!("{error}"))
        .get(0);
    for (name, statement, types, values) in STATEMENTS {
        let values = values.replace("$item", &format!("'{item}'")).replace("$micros", &micros.to_string());
        client
            .batch_execute(&format!("prepare {name} ({types}) as {statement}"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        println!("{name}:");
        let plan = format!(
            "explain (analyze, costs off, timing off, summary off) execute {name} ('{PROJECT}', {values})"
        );
        for row in client.query(&plan, &[]).unwrap_or_else(|error| panic!("{name}: {error}")) {
            println!("  {}", row.get::<_, &str>(0));
        }
    }
}
