//! Walks give what a recursive query gives, from any event of any forest, whatever has happened to it.

use memento_tests::Cluster;
use memento_tests::failure::assert_failure;
use postgres::Client;

/// What the walks are compared with, written as plainly as possible.
const REFERENCE: &str = "
    create function id(n int) returns uuid language sql immutable as $$ select md5('event ' || n)::uuid $$;
    create function expected_chain(e uuid, most int) returns table (line text) language sql as $$
      with recursive chain as (
        select s.*, 0 as steps from memento.event_store s where s.event_id = e
        union all
        select s.*, c.steps + 1 from chain c join memento.event_store s on s.event_id = c.parent_uuid where c.steps < most)
      select concat_ws(' ', event_id, event_type, \"timestamp\", event_data, steps,
                       (select f.depth > most from memento.event_store f where f.event_id = e))
        from chain order by steps desc $$;
    create function walked_chain(e uuid, most int) returns table (line text) language sql as $$
      select concat_ws(' ', uuid, event_type, \"timestamp\", event_data, depth, truncated) from memento.get_parent_chain(e, most) $$;
    create function expected_tree(e uuid, levels int, most int) returns table (line text) language sql as $$
      with recursive tree as (
        select s.*, 0 as level from memento.event_store s where s.event_id = e
        union all
        select s.*, t.level + 1 from tree t join memento.event_store s on s.parent_uuid = t.event_id)
      select concat_ws(' ', t.event_id, t.event_type, t.\"timestamp\", t.event_data, t.level, t.parent_uuid,
                       (select count(*) > most from tree where level <= levels) or exists (select from tree where level > levels))
        from tree t where t.level <= levels
       order by t.level, t.\"timestamp\", t.sequence_num, t.event_id limit most $$;
    create function walked_tree(e uuid, levels int, most int) returns table (line text) language sql as $$
      select concat_ws(' ', uuid, event_type, \"timestamp\", event_data, depth, parent_uuid, truncated)
        from memento.get_event_tree(e, levels, most) $$;";

/// A forest: chains, trees of which each level is wider than the one above, and anything between them.
const FOREST: &str = "
    insert into memento.event_store (project_id, event_id, parent_uuid, event_type, \"timestamp\", event_data)
    select '00000000-0000-0000-0000-000000000001', id(n),
           case when n % 500 = 0 then null
                when n < 500 then id(n - 1)
                when n < 1000 then id(500 + (n - 501) / 3)
                when n < 1500 then id(1000 + (n - 1001) / 40)
                else id(n - 1 - (hashint4(n) & 1023) % (n % 500)) end,
           case when n % 7 = 0 then 'error' else 'step' end,
           '2026-01-01'::timestamptz + (hashint4(n) & 3) * interval '1 s',
           jsonb_build_object('n', n, 'long', repeat(md5(n::text), case when n % 97 = 0 then 400 else 0 end))
      from generate_series(0, 2999) n";

/// Compares walks from events all over the forest, with limits that cut and others that do not.
#[track_caller]
fn assert_walks_are_right(client: &mut Client) {
    let differences: i64 = client
        .query_one(
            "select count(*)
               from (select event_id from memento.event_store order by md5(event_id::text || 'x') limit 12) e,
                    lateral (
                      select from unnest(array[0, 1, 5, 100000]) most
                       where array(select line from walked_chain(e.event_id, most))
                             is distinct from array(select line from expected_chain(e.event_id, most))
                      union all
                      select from unnest(array[0, 1, 3, 100000]) levels, unnest(array[1, 4, 100, 100000]) most
                       where array(select line from walked_tree(e.event_id, levels, most))
                             is distinct from array(select line from expected_tree(e.event_id, levels, most))) d",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(differences, 0);
}

#[test]
fn walks_give_what_a_recursive_query_gives() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute(REFERENCE).unwrap();
    client.batch_execute(FOREST).unwrap();
    let depths = "select max(depth), count(distinct root_uuid) from memento.event_store";
    let row = client.query_one(depths, &[]).unwrap();
    assert!(row.get::<_, i32>(0) >= 499 && row.get::<_, i64>(1) == 6);
    // From the root of the forest's long chain, and from its end.
    for n in [0, 250, 499, 500, 501, 999, 1000, 1499, 2000, 2999] {
        for (walked, expected) in [
            (format!("walked_chain(id({n}), 1000)"), format!("expected_chain(id({n}), 1000)")),
            (format!("walked_tree(id({n}), 1000, 7)"), format!("expected_tree(id({n}), 1000, 7)")),
        ] {
            let lines = |client: &mut Client, from: &str| -> Vec<String> {
                let rows = client.query(&format!("select line from {from}"), &[]).unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            };
            assert_eq!(lines(&mut client, &walked), lines(&mut client, &expected), "{walked}");
        }
    }
    assert_walks_are_right(&mut client);

    // Entries of rows that were, of an uncommitted change, and of one that was rolled back.
    client
        .batch_execute(
            "update memento.event_store set parent_uuid = id(300) where event_id = id(1001);
             update memento.event_store set parent_uuid = null where event_id = id(100);
             delete from memento.event_store where event_id in (id(520), id(1004), id(2100));
             update memento.event_store set event_data = '{}' where sequence_num % 5 = 0",
        )
        .unwrap();
    assert_walks_are_right(&mut client);
    client
        .batch_execute(
            "begin;
             update memento.event_store set parent_uuid = id(2500) where event_id = id(101);
             insert into memento.event_store (project_id, event_id, parent_uuid, event_type)
             values ('00000000-0000-0000-0000-000000000001', id(9000), id(499), 'late')",
        )
        .unwrap();
    assert_walks_are_right(&mut client);
    let mut other = cluster.connect(&client_database(&mut client));
    assert_walks_are_right(&mut other);
    client.batch_execute("rollback").unwrap();
    assert_walks_are_right(&mut client);
    client.batch_execute("vacuum memento.event_store").unwrap();
    assert_walks_are_right(&mut client);
}

fn client_database(client: &mut Client) -> String {
    client.query_one("select current_database()::text", &[]).unwrap().get(0)
}

/// A walk ends with the statement that it belongs to: cut short, cancelled, or in a cursor that is left open.
#[test]
fn walks_can_be_left() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute(REFERENCE).unwrap();
    client.batch_execute(FOREST).unwrap();
    let one = client.query("select * from memento.get_event_tree(id(0), 1000) limit 1", &[]).unwrap();
    assert_eq!(one.len(), 1);
    client
        .batch_execute(
            "begin; declare c cursor for select * from memento.get_parent_chain(id(499)); fetch 2 from c; commit",
        )
        .unwrap();
    // An error in the middle, caught: nothing that the walk held is left.
    client
        .batch_execute(
            "do $$ begin
               perform 1 / (depth - 3) from memento.get_parent_chain(id(499));
             exception when division_by_zero then null; end $$",
        )
        .unwrap();
    assert_failure(
        client.query("select * from memento.get_parent_chain(id(-1))", &[]),
        "P0002",
        "EVENT_NOT_FOUND",
    );
    assert_walks_are_right(&mut client);
}

/// The trigger that runs for every event has no search_path of its own.
#[test]
fn operators_of_others_are_not_called_by_the_trigger() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "create schema evil;
             create function evil.stolen(uuid, uuid) returns boolean language plpgsql as $$
               begin raise exception 'called as %', current_user; end $$;
             create operator evil.= (function = evil.stolen, leftarg = uuid, rightarg = uuid);
             create operator evil.<> (function = evil.stolen, leftarg = uuid, rightarg = uuid);
             set search_path = evil, pg_catalog;
             insert into memento.event_store (project_id, event_id, event_type)
             values ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-0000000000aa', 'parent')",
        )
        .unwrap();
    let child = "insert into memento.event_store (project_id, parent_uuid, event_type)
                 values ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-0000000000aa', 'child')
                 returning depth";
    assert_eq!(client.query_one(child, &[]).unwrap().get::<_, i32>(0), 1);
}
