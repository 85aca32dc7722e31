//! Calls the functions of pg_memento/src/tests.rs, which run inside a backend. Needs a build with feature pg_test:
//! `scripts/test --only server` makes one, runs this and installs the ordinary build again.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;

use memento_tests::{Cluster, Server, Settings, eventually};

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

/// The process that answers, if one does. In this build the model host serves the number of its process.
fn who_serves(directory: &Path) -> Option<i32> {
    let mut answer = String::new();
    UnixStream::connect(directory.join("socket")).ok()?.read_to_string(&mut answer).ok()?;
    answer.parse().ok()
}

fn set_model(cluster: &Cluster, directory: &Path) {
    let mut client = cluster.connect("postgres");
    client.batch_execute(&format!("alter system set memento.model_dir = '{}'", directory.display())).unwrap();
    client.batch_execute("select pg_reload_conf()").unwrap();
}

#[test]
fn the_model_host_serves_what_the_settings_name() {
    let cluster = Cluster::start_with(
        Server::from_environment(),
        Settings { lines: vec!["memento.worker_restart_delay = '20ms'".into()], ..Settings::default() },
    );
    let place = |name: &str| cluster.server.scratch.join(format!("{name}-{}", std::process::id()));
    let (one, two, missing) = (place("one"), place("two"), place("missing"));
    for directory in [&one, &two] {
        assert!(cluster.server.as_server_user("mkdir").arg(directory).status().unwrap().success());
    }
    assert_eq!(who_serves(&one), None);
    set_model(&cluster, &one);
    let first = eventually("it serves", || who_serves(&one));

    set_model(&cluster, &two);
    eventually("it serves the other one", || who_serves(&two));
    assert!(!one.join("socket").exists(), "it has ended in order");

    set_model(&cluster, &missing);
    eventually("it says why it cannot", || {
        let log = cluster.log();
        log.contains("the local model is not served: entity not found; trying again in").then_some(())
    });
    set_model(&cluster, &one);
    let second = eventually("it serves again", || who_serves(&one));
    assert_ne!(first, second);

    let killed = std::process::Command::new("kill").arg(second.to_string()).status().unwrap();
    assert!(killed.success());
    eventually("another one serves", || who_serves(&one).filter(|pid| *pid != second));

    // A standby searches too.
    cluster.stop("fast");
    assert_eq!(who_serves(&one), None);
    std::fs::write(cluster.directory().join("standby.signal"), "").unwrap();
    cluster.boot();
    eventually("it serves on a standby", || who_serves(&one));
    assert!(!cluster.log().contains("PANIC"), "{}", cluster.log());
}
