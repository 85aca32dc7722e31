//! The suite of the worker's crate over a connection. Over the server's own interface it is run by `inside.rs`.

use memento_tests::{Cluster, Server, Settings};
use memento_worker::client::ClientDatabase;
use postgres::{Config, NoTls};

#[test]
fn a_connection_is_a_database_for_the_loop() {
    let lines = vec!["memento.worker = off".to_owned()];
    let cluster = Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() });
    let url = cluster.url("postgres", &cluster.database());
    let mut database = ClientDatabase::new(url.parse::<Config>().unwrap(), |config| config.connect(NoTls));
    let outcomes = memento_worker::conformance::run(&mut database);
    let failures: Vec<String> =
        outcomes.iter().filter_map(|(name, what)| Some(format!("{name}: {}", what.as_ref()?))).collect();
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), outcomes.len(), failures.join("\n"));
}
