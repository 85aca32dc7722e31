//! Calls the functions of pg_memento/src/tests.rs, which run inside a backend. Needs a build with feature pg_test:
//! `scripts/test --only server` makes one, runs this and installs the ordinary build again.

use memento_tests::{Cluster, eventually};

#[test]
fn every_function_of_schema_tests_succeeds() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let names: Vec<String> = client
        .query(
            "select proname::text from pg_proc where pronamespace = to_regnamespace('tests') order by 1",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert!(!names.is_empty(), "the server has a build without feature pg_test");
    let mut failures = Vec::new();
    for name in &names {
        let mut transaction = client.transaction().unwrap();
        let result = transaction.batch_execute(&format!("select tests.{name}()"));
        transaction.rollback().unwrap();
        println!("{} {name}", if result.is_ok() { "ok    " } else { "FAILED" });
        failures.extend(result.err().map(|error| format!("{name}: {error:?}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} tests passed inside the server", names.len());
}

/// The suite that `queue/conformance.rs` runs over a connection, over the server's own interface in the background worker.
#[test]
fn the_background_worker_has_a_database_for_the_loop() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "create table public.conformance (name text, failure text);
             insert into public.conformance values ('asked');
             select memento._wake_worker()",
        )
        .unwrap();
    eventually("the suite has run", || {
        client.query_opt("select from public.conformance where name = 'end'", &[]).unwrap()
    });
    let outcomes =
        client.query("select name, failure from public.conformance where name <> 'end'", &[]).unwrap();
    let failures: Vec<String> = outcomes
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.get::<_, &str>(0), row.get::<_, Option<&str>>(1)?)))
        .collect();
    assert!(outcomes.len() > 40, "only {} cases", outcomes.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), outcomes.len(), failures.join("\n"));
}
