//! Root and depth of every event are right, whoever writes what in which order, and at the same moment as others.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use postgres::Client;

const PROJECT: &str = "00000000-0000-0000-0000-000000000001";

/// Ids that can be written down: 7 is the event `id(7)`.
const HELPERS: &str = "
    create function id(n int) returns uuid language sql immutable as $$ select md5('event ' || n)::uuid $$;
    create function parent_of(n int) returns uuid language sql as $$
      select parent_uuid from memento.event_store where event_id = id(n) $$;
    create function add(n int, parent int default null) returns void language sql as $$
      insert into memento.event_store (project_id, event_id, parent_uuid, event_type)
      values ('00000000-0000-0000-0000-000000000001', id(n), id(parent), 'test') $$;
    create function move(n int, parent int) returns void language sql as $$
      update memento.event_store set parent_uuid = id(parent) where event_id = id(n) $$;";

struct Scene {
    cluster: Cluster,
    database: String,
}

impl Scene {
    fn new() -> Self {
        let cluster = Cluster::start();
        let database = cluster.database();
        cluster.connect(&database).batch_execute(HELPERS).unwrap();
        Self { cluster, database }
    }

    fn connect(&self) -> Client {
        self.cluster.connect(&self.database)
    }
}

/// Works root and depth out by following parents, here, and compares them with what is stored. Gives the number of events.
#[track_caller]
fn assert_trees_are_right(client: &mut Client) -> usize {
    type Row = (Option<String>, String, i32);
    let stored: HashMap<String, Row> = client
        .query("select project_id || ' ' || event_id, project_id || ' ' || parent_uuid, project_id || ' ' || root_uuid, depth from memento.event_store", &[])
        .unwrap()
        .iter()
        .map(|row| (row.get(0), (row.get(1), row.get(2), row.get(3))))
        .collect();
    let mut known: HashMap<&str, (&str, i32)> = HashMap::new();
    for event in stored.keys() {
        let mut path = vec![event.as_str()];
        let (mut root, mut depth) = loop {
            let last = *path.last().unwrap();
            if let Some(found) = known.get(last) {
                path.pop();
                break *found;
            }
            match &stored[last].0 {
                None => break (last, -1),
                Some(parent) => path.push(stored.get_key_value(parent).expect("the parent exists").0),
            }
            assert!(path.len() <= stored.len(), "a cycle at {event}");
        };
        while let Some(event) = path.pop() {
            depth += 1;
            root = if depth == 0 { event } else { root };
            known.insert(event, (root, depth));
        }
    }
    for (event, (_, root, depth)) in &stored {
        assert_eq!((root.as_str(), *depth), known[event.as_str()], "{event}");
    }
    stored.len()
}

/// Waits until a backend waits for another.
fn until_blocked(observer: &mut Client, pid: i32) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let blocked: bool =
            observer.query_one("select pg_blocking_pids($1) <> '{}'", &[&pid]).unwrap().get(0);
        if blocked {
            return;
        }
        assert!(Instant::now() < deadline, "nobody waits");
    }
}

fn pid(client: &mut Client) -> i32 {
    client.query_one("select pg_backend_pid()", &[]).unwrap().get(0)
}

#[test]
fn a_copy_may_have_its_rows_in_any_order_and_with_anything_for_root_and_depth() {
    let scene = Scene::new();
    let mut client = scene.connect();
    for order in ["n", "-n", "md5(n::text)"] {
        let lines: Vec<String> = client
            .query(
                &format!(
                    "select concat_ws(E'\\t', '{PROJECT}', id(n), case when n % 50 > 0 then id(n - 1 - n % 3 * (n % 50 / 3))::text else '\\N' end,
                                      id(-n), 77, 'test')
                       from generate_series(1000, 4999) n order by {order}"
                ),
                &[],
            )
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        let mut copy = client
            .copy_in("copy memento.event_store (project_id, event_id, parent_uuid, root_uuid, depth, event_type) from stdin")
            .unwrap();
        copy.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
        assert_eq!(copy.finish().unwrap(), 4000);
        assert_eq!(assert_trees_are_right(&mut client), 4000, "{order}");
        let deepest: i32 =
            client.query_one("select max(depth) from memento.event_store", &[]).unwrap().get(0);
        assert!(deepest > 5, "{order}: {deepest}");
        client.batch_execute("delete from memento.event_store").unwrap();
    }
}

#[test]
fn what_cannot_be_a_tree_is_refused() {
    let scene = Scene::new();
    let mut client = scene.connect();
    client
        .batch_execute(
            "select memento.create_project('other');
             insert into memento.event_store (project_id, event_id, event_type) select project_id, id(100), 'test' from memento.project where name = 'other';
             select add(1), add(2, 1), add(3, 2)",
        )
        .unwrap();
    let values = |rows: &str| {
        format!(
            "insert into memento.event_store (project_id, event_id, parent_uuid, event_type)
             select '{PROJECT}', id(n), id(p), 'test' from (values {rows}) v(n, p)"
        )
    };
    for statement in [
        "select add(9, 9)".to_owned(),
        "select move(1, 1)".to_owned(),
        "select move(1, 2)".to_owned(),
        "select move(1, 3)".to_owned(),
        "update memento.event_store set parent_uuid = case event_id when id(1) then id(2) else id(1) end where event_id in (id(1), id(2))"
            .to_owned(),
        values("(10, 11), (11, 10)"),
        values("(10, 11), (11, 12), (12, 10), (13, 12)"),
    ] {
        let error = assert_failure(client.batch_execute(&statement), "23514", "CYCLE_DETECTED");
        assert!(error.hint().is_some(), "{statement}");
    }
    for statement in [
        "select add(9, 8)".to_owned(),
        "select move(3, 8)".to_owned(),
        // It is there, but in another project.
        "select add(9, 100)".to_owned(),
        "select move(3, 100)".to_owned(),
        values("(10, 11), (11, 12), (13, null)"),
    ] {
        let error = assert_failure(client.batch_execute(&statement), "P0002", "PARENT_NOT_FOUND");
        assert!(error.hint().is_some(), "{statement}");
    }
    // Nobody can write root and depth that do not follow from the parent: neither the trigger nor the commit lets it pass.
    for (statement, sqlstate) in [
        ("update memento.event_store set depth = 5 where event_id = id(1)", "23514"),
        ("update memento.event_store set root_uuid = id(3) where event_id = id(1)", "23514"),
        ("update memento.event_store set depth = -1 where event_id = id(2)", "23514"),
        ("update memento.event_store set depth = 5, parent_depth = 4 where event_id = id(2)", "23503"),
        ("update memento.event_store set root_uuid = id(2) where event_id = id(3)", "23503"),
        ("update memento.event_store set event_id = id(50) where event_id = id(2)", "23503"),
        (
            "update memento.event_store set project_id = (select project_id from memento.project where name = 'other') where event_id = id(3)",
            "P0002",
        ),
        (
            "insert into memento.event_store (project_id, event_id, event_type) values (gen_random_uuid(), id(9), 'x')",
            "23503",
        ),
        (
            "insert into memento.event_store (project_id, event_id, event_type) values (null, id(9), 'x')",
            "23502",
        ),
        (
            "insert into memento.event_store (project_id, event_id, event_type) select project_id, null, 'x' from memento.project",
            "23502",
        ),
        (
            "insert into memento.event_store (project_id, event_type) select project_id, ' ' from memento.project",
            "23514",
        ),
        (
            "insert into memento.event_store (project_id, event_type) select project_id, repeat('x', 65) from memento.project",
            "23514",
        ),
    ] {
        assert_eq!(failure(client.batch_execute(statement)).code().code(), sqlstate, "{statement}");
    }
    assert_eq!(assert_trees_are_right(&mut client), 4);
}

#[test]
fn a_move_takes_everything_below_along_and_a_cycle_of_a_thousand_is_seen() {
    let scene = Scene::new();
    let mut client = scene.connect();
    client
        .batch_execute(&format!(
            "insert into memento.event_store (project_id, event_id, parent_uuid, event_type)
             select '{PROJECT}', id(n), id(nullif(n - 1, 0)), 'test' from generate_series(1, 1000) n;
             select add(2000)"
        ))
        .unwrap();
    assert_failure(client.batch_execute("select move(1, 1000)"), "23514", "CYCLE_DETECTED");
    assert_failure(client.batch_execute("select move(500, 501)"), "23514", "CYCLE_DETECTED");
    client.batch_execute("select move(500, 2000)").unwrap();
    assert_trees_are_right(&mut client);
    client.batch_execute("select move(1, 1000)").unwrap();
    assert_trees_are_right(&mut client);
    // Many at once, some of them below others that move as well.
    client
        .batch_execute(
            "update memento.event_store e set parent_uuid = id(n - 7) from generate_series(600, 900, 5) n where e.event_id = id(n);
             update memento.event_store set parent_uuid = null where depth % 3 = 1",
        )
        .unwrap();
    assert_eq!(assert_trees_are_right(&mut client), 1001);
    // One that goes round through several of the moved, with others that do not.
    assert_failure(
        client.batch_execute(
            "update memento.event_store e set parent_uuid = id(p)
               from (values (1, 2), (2, 3), (3, 4), (4, 1), (5, null)) v(n, p) where e.event_id = id(n)",
        ),
        "23514",
        "CYCLE_DETECTED",
    );
    // One that looks like a cycle in the middle of the statement, and is none at its end.
    client
        .batch_execute(
            "select add(3001), add(3002, 3001), add(3003, 3002);
             update memento.event_store e set parent_uuid = id(p) from (values (3001, 3003), (3003, null)) v(n, p) where e.event_id = id(n)",
        )
        .unwrap();
    // What is not about parents changes nothing.
    client.batch_execute("update memento.event_store set event_data = '{\"a\": 1}'").unwrap();
    assert_eq!(assert_trees_are_right(&mut client), 1004);
}

#[test]
fn deleting_makes_children_roots() {
    let scene = Scene::new();
    let mut client = scene.connect();
    client
        .batch_execute(
            "select add(1), add(2, 1), add(3, 1), add(4, 2), add(5, 4), add(6, 5);
             delete from memento.event_store where event_id in (id(1), id(4))",
        )
        .unwrap();
    let roots: Vec<bool> = client
        .query(
            "select parent_of(n) is null from generate_series(1, 6) n where n not in (1, 4) order by n",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(roots, [true, true, true, false]);
    assert_eq!(assert_trees_are_right(&mut client), 4);
    client.batch_execute("delete from memento.event_store").unwrap();
    assert_eq!(assert_trees_are_right(&mut client), 0);
}

/// The plans that the triggers keep are made when the table is small, and have to do for these as well.
#[test]
fn a_hundred_thousand_events_below_one_another_or_side_by_side_are_moved_and_released() {
    const EVENTS: i32 = 100_000;
    let scene = Scene::new();
    let mut client = scene.connect();
    client.batch_execute("select add(-1), add(-2, -1), add(-3, -2), move(-2, null), move(-2, -1)").unwrap();
    client.batch_execute("delete from memento.event_store where event_id = id(-1)").unwrap();
    let load = |client: &mut Client, parent: &str, order: &str| {
        client
            .batch_execute(&format!(
                "insert into memento.event_store (project_id, event_id, parent_uuid, event_type)
                 select '{PROJECT}', id(n), {parent}, 'test' from generate_series(0, {EVENTS}) n order by {order}"
            ))
            .unwrap();
    };
    for (parent, order, depth) in
        [("case when n > 0 then id(n - 1) end", "-n", EVENTS), ("case when n > 0 then id(0) end", "n", 1)]
    {
        load(&mut client, parent, order);
        let chain: i64 = client
            .query_one(&format!("select count(*) from memento.get_parent_chain(id({EVENTS})) where truncated = ({depth} > 1000)"), &[])
            .unwrap()
            .get(0);
        assert_eq!(chain, i64::from(depth.min(1000)) + 1);
        let row = client
            .query_one(&format!("select memento.calculate_root_uuid(id({EVENTS})) = id(0), r.depth from memento.root_cause(id({EVENTS})) r"), &[])
            .unwrap();
        assert_eq!((row.get(0), row.get(1)), (true, depth));
        client.batch_execute("delete from memento.event_store where event_id = id(0)").unwrap();
        assert_eq!(assert_trees_are_right(&mut client), EVENTS as usize + 2);
        client
            .batch_execute("delete from memento.event_store where event_id not in (id(-2), id(-3))")
            .unwrap();
    }
}

#[test]
fn of_two_moves_in_opposite_directions_one_is_refused() {
    let scene = Scene::new();
    let mut first = scene.connect();
    let mut second = scene.connect();
    first.batch_execute("select add(1), add(2), add(3, 1), add(4, 2)").unwrap();
    first.batch_execute("begin; select move(1, 4)").unwrap();
    let waiting = pid(&mut second);
    let result = std::thread::scope(|scope| {
        let second = scope.spawn(|| second.batch_execute("select move(2, 3)"));
        until_blocked(&mut scene.connect(), waiting);
        first.batch_execute("commit").unwrap();
        second.join().unwrap()
    });
    assert_failure(result, "23514", "CYCLE_DETECTED");
    assert_trees_are_right(&mut first);
}

#[test]
fn an_event_below_one_that_moves_goes_along_whichever_comes_first() {
    let scene = Scene::new();
    let mut mover = scene.connect();
    let mut writer = scene.connect();
    mover.batch_execute("select add(1), add(2, 1), add(3, 2), add(10)").unwrap();

    mover.batch_execute("begin; select move(2, 10)").unwrap();
    let waiting = pid(&mut writer);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| writer.batch_execute("select add(4, 3)"));
        until_blocked(&mut scene.connect(), waiting);
        mover.batch_execute("commit").unwrap();
        writing.join().unwrap().unwrap();
    });
    assert_trees_are_right(&mut mover);

    writer.batch_execute("begin; select add(5, 4)").unwrap();
    let waiting = pid(&mut mover);
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| mover.batch_execute("select move(2, null)"));
        until_blocked(&mut scene.connect(), waiting);
        writer.batch_execute("commit").unwrap();
        moving.join().unwrap().unwrap();
    });
    assert_eq!(assert_trees_are_right(&mut mover), 6);

    // One that cannot see the new event, because its snapshot is older, is refused when it commits.
    mover
        .batch_execute("begin isolation level repeatable read; select count(*) from memento.event_store")
        .unwrap();
    writer.batch_execute("select add(6, 5)").unwrap();
    let moved = mover.batch_execute("select move(2, 10); commit");
    assert!(["40001", "23503"].contains(&failure(moved).code().code()));
    mover.batch_execute("rollback").unwrap();
    assert_eq!(assert_trees_are_right(&mut mover), 7);
}

/// Somebody who was given privileges on the table and has no others: the triggers do their work all the same.
#[test]
fn who_may_write_the_table_may_write_trees() {
    let scene = Scene::new();
    let mut admin = scene.connect();
    scene.cluster.connect_as("writer", &scene.database);
    admin
        .batch_execute(
            "select memento.grant_access('writer', 'default', 'write');
             grant insert, update, delete on memento.event_store to writer;
             grant usage on sequence memento.event_sequence_num_seq to writer",
        )
        .unwrap();
    let mut writer = scene.cluster.connect_as("writer", &scene.database);
    writer
        .batch_execute(
            "select add(1), add(2, 1), add(3, 2), add(4, 3), add(10), move(3, 10);
             delete from memento.event_store where event_id = id(10);
             update memento.event_store set event_data = jsonb_build_object('item_id', id(1)) where event_id = id(4)",
        )
        .unwrap();
    assert_failure(writer.batch_execute("select move(3, 4)"), "23514", "CYCLE_DETECTED");
    assert_eq!(assert_trees_are_right(&mut admin), 4);
}

/// Four sessions insert, move and delete as they like. Conflicts may be refused; what is committed must be right.
#[test]
fn trees_stay_right_under_load() {
    const ROUNDS: i32 = 150;
    let scene = Scene::new();
    let mut client = scene.connect();
    client.batch_execute("select add(n) from generate_series(0, 20) n").unwrap();
    let done: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|session| {
                let scene = &scene;
                scope.spawn(move || {
                    let mut client = scene.connect();
                    client.batch_execute("set deadlock_timeout = '20ms'").unwrap();
                    if session == 3 {
                        client
                            .batch_execute("set default_transaction_isolation = 'repeatable read'")
                            .unwrap();
                    }
                    (0..ROUNDS).filter(|round| act(&mut client, session, *round)).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(done > 200, "only {done} of the changes went through");
    assert!(assert_trees_are_right(&mut client) > 20);
}

fn act(client: &mut Client, session: i32, round: i32) -> bool {
    // Numbers that look random and are the same in every run.
    let number =
        |salt: i32| (session * 7919 + round * 104_729 + salt * 31).wrapping_mul(48_271).rem_euclid(1000);
    let new = 1000 + session * ROUND_SPACE + round;
    let any = |salt: i32| {
        if number(salt) < 500 {
            number(salt) % 21
        } else {
            1000 + number(salt) % 4 * ROUND_SPACE + number(salt + 1) % (round + 1)
        }
    };
    let statement = match number(1) % 10 {
        0..=5 => format!("select add({new}, {})", any(2)),
        6..=8 => format!("select move({}, {})", any(3), any(4)),
        _ => format!("delete from memento.event_store where event_id = id({}) and depth > 0", any(5)),
    };
    match client.batch_execute(&statement) {
        Ok(()) => true,
        Err(error) => {
            let code = error.code().expect("an error of the server").code().to_owned();
            // A cycle, a parent that is not there, a deadlock, a conflict.
            assert!(
                ["23514", "P0002", "40P01", "40001", "23503"].contains(&code.as_str()),
                "{statement}: {error:?}"
            );
            false
        }
    }
}

const ROUND_SPACE: i32 = 10_000;
