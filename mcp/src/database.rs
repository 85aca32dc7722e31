//! A few connections for all sessions, made when they are needed and anew after they broke.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::statement;

/// How long a call waits for a connection that others use.
const WAIT: Duration = Duration::from_secs(30);

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// What a statement is given.
pub type Values<'a> = [&'a (dyn ToSql + Sync)];

/// The database, over at most so many connections.
pub struct Database {
    config: Config,
    tls: MakeRustlsConnect,
    /// What each connection is set to: names and values.
    session: (Vec<&'static str>, Vec<String>),
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

struct Connection {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
}

impl Database {
    /// Nothing is connected yet.
    pub fn new(settings: &Settings) -> Self {
        let mut config = settings.database.clone();
        config.application_name("memento-mcp");
        config.connect_timeout(CONNECT);
        Self {
            tls: tls(&config),
            config,
            session: session(settings),
            permits: Semaphore::new(settings.connections),
            idle: Mutex::default(),
        }
    }

    /// Runs a statement in a transaction of its own. A cancelled one is cancelled in the database.
    pub async fn query(
        &self,
        statement: &'static str,
        values: &Values<'_>,
        cancelled: &CancellationToken,
    ) -> Result<Vec<Row>, Failure> {
        let _permit = match timeout(WAIT, self.permits.acquire()).await {
            Ok(Ok(permit)) => permit,
            _ => return Err(Failure::busy()),
        };
        let mut connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let outcome = self.run(&mut connection, statement, values, cancelled).await;
        if !connection.client.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        outcome
    }

    async fn run(
        &self,
        connection: &mut Connection,
        statement: &'static str,
        values: &Values<'_>,
        cancelled: &CancellationToken,
    ) -> Result<Vec<Row>, Failure> {
        let prepared = match connection.prepared.get(statement) {
            Some(prepared) => prepared.clone(),
            None => {
                let prepared = connection.client.prepare(statement).await?;
                connection.prepared.insert(statement, prepared.clone());
                prepared
            }
        };
        let mut running = std::pin::pin!(connection.client.query(&prepared, values));
        tokio::select! {
            biased;
            outcome = &mut running => return Ok(outcome?),
            () = cancelled.cancelled() => {}
        }
        // It may just have ended; then there is nothing to cancel, and the connection is as good as before. If the request to
        // cancel does not arrive, the statement ends by its time limit.
        let _ = connection.client.cancel_token().cancel_query(self.tls.clone()).await;
        let _ = running.await;
        Err(Failure::cancelled())
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // After a restart of the server all of them are closed.
        idle.retain(|connection| !connection.client.is_closed());
        idle.pop()
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let (client, connection) = match timeout(CONNECT, self.config.connect(self.tls.clone())).await {
            Ok(connected) => connected?,
            Err(_) => return Err(Failure::unreachable()),
        };
        // Ends with the client, or when the server closes the connection; the next call sees that.
        tokio::spawn(connection);
        client.query(statement::SETTINGS, &[&self.session.0, &self.session.1]).await?;
        Ok(Connection { client, prepared: HashMap::new() })
    }
}

/// What each connection is set to, whatever the database or the role says.
fn session(settings: &Settings) -> (Vec<&'static str>, Vec<String>) {
    let mut session = vec![
        ("search_path", "pg_catalog, pg_temp".to_owned()),
        ("default_transaction_isolation", "read committed".to_owned()),
        ("statement_timeout", settings.statement_timeout.as_millis().to_string()),
    ];
    if settings.read_only {
        session.push(("default_transaction_read_only", "on".to_owned()));
    }
    if let Some(role) = &settings.role {
        session.push(("role", role.clone()));
    }
    session.into_iter().unzip()
}

/// Certificates are checked against those that the machine trusts.
fn tls(config: &Config) -> MakeRustlsConnect {
    let mut roots = rustls::RootCertStore::empty();
    if config.get_ssl_mode() != SslMode::Disable {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    MakeRustlsConnect::new(
        rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth(),
    )
}
