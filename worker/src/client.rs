//! The database over a connection, for a worker on another machine.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use postgres::config::SslMode;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Column, Config, NoTls, Transaction};
use serde_json::Value as Json;
use tokio_postgres_rustls::MakeRustlsConnect;
use uuid::Uuid;

use crate::caller::Wake;
use crate::database::{
    Database, DatabaseError, DatabaseResult, LOCK_TIMEOUT, Row, Statements, Value, Work, command_lock_timeout,
};
use crate::index::{self, Built, IndexBuild};

/// How long the listener waits before it connects again.
const RECONNECT: Duration = Duration::from_secs(5);

/// The limits that a database or a role may have set on statements, transactions and sessions, as far as the server has them: a worker
/// has its own, and sleeps for long.
const NO_LIMITS: &str = "select pg_catalog.set_config(s.name, '0', false) from pg_catalog.pg_settings s
  where s.name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')";

/// A connection that is made when it is needed, and anew after it broke.
pub struct ClientDatabase {
    config: Config,
    client: Option<Client>,
    connect: fn(&Config) -> Result<Client, postgres::Error>,
    /// Whether it is not the loop's own, so that it may wait.
    is_beside_loop: bool,
}

impl ClientDatabase {
    /// Nothing is connected yet.
    pub fn new(config: Config, connect: fn(&Config) -> Result<Client, postgres::Error>) -> Self {
        Self { config, client: None, connect, is_beside_loop: false }
    }

    fn client(&mut self) -> DatabaseResult<&mut Client> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            let mut client = (self.connect)(&self.config).map_err(|error| failure(&error))?;
            // The statements rely on these, whatever the database or the role says.
            client
                .batch_execute(&format!(
                    "set search_path = pg_catalog, pg_temp; set default_transaction_isolation = 'read committed'; set lock_timeout = {}; {NO_LIMITS}",
                    LOCK_TIMEOUT.as_millis()
                ))
                .map_err(|error| failure(&error))?;
            self.client = Some(client);
        }
        self.client.as_mut().ok_or_else(|| DatabaseError::unexpected("no connection"))
    }
}

impl Database for ClientDatabase {
    fn transaction(&mut self, work: &mut Work) -> DatabaseResult<()> {
        let mut transaction = self.client()?.transaction().map_err(|error| failure(&error))?;
        work(&mut Open(&mut transaction))?;
        transaction.commit().map_err(|error| failure(&error))
    }

    fn command(&mut self, command: &str) -> DatabaseResult<()> {
        let longest = command_lock_timeout(command, self.is_beside_loop);
        let client = self.client()?;
        let mut execute = |text: &str| client.batch_execute(text).map_err(|error| failure(&error));
        execute(&format!("set lock_timeout = {}", longest.as_millis()))?;
        let outcome = execute(command);
        execute(&format!("set lock_timeout = {}", LOCK_TIMEOUT.as_millis()))?;
        outcome
    }

    fn can_run_concurrently(&self) -> bool {
        true
    }

    fn begin_index(&mut self, profile: Uuid, wake: &Wake) -> DatabaseResult<Box<dyn IndexBuild>> {
        let mut database = Self { is_beside_loop: true, ..Self::new(self.config.clone(), self.connect) };
        let (tell, outcome) = channel();
        let wake = Arc::clone(wake);
        let building = move || {
            // When this process ends, the server's goes on until it looks for it.
            let prepared = database.command("set client_connection_check_interval = '10s'");
            // Nobody listens any more when the worker is about to end.
            let _ = tell.send(prepared.and_then(|()| index::build(&mut database, profile)));
            wake();
        };
        match std::thread::Builder::new().name("index".into()).spawn(building) {
            Ok(_) => Ok(Box::new(OtherConnection(outcome))),
            Err(_) => Ok(Built::now(self, profile)),
        }
    }
}

/// An index that is built over a connection of its own.
struct OtherConnection(Receiver<DatabaseResult<()>>);

impl IndexBuild for OtherConnection {
    fn outcome(&mut self) -> Option<DatabaseResult<()>> {
        match self.0.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(DatabaseError::unexpected("a thread has panicked"))),
        }
    }
}

struct Open<'a, 'b>(&'a mut Transaction<'b>);

impl Statements for Open<'_, '_> {
    fn query(&mut self, statement: &str, parameters: &[Value]) -> DatabaseResult<Vec<Row>> {
        let parameters: Vec<&(dyn ToSql + Sync)> =
            parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let rows = self.0.query(statement, &parameters).map_err(|error| failure(&error))?;
        rows.iter()
            .map(|row| {
                row.columns().iter().enumerate().map(|(place, column)| read(row, place, column)).collect()
            })
            .collect()
    }
}

fn failure(error: &postgres::Error) -> DatabaseError {
    let sqlstate = error.code().map_or("08000", postgres::error::SqlState::code).to_owned();
    let message = error
        .as_db_error()
        .map_or_else(|| "the connection failed".to_owned(), |error| error.message().to_owned());
    DatabaseError { sqlstate, message }
}

fn read(row: &postgres::Row, place: usize, column: &Column) -> DatabaseResult<Value> {
    fn get<'a, T: FromSql<'a>>(
        row: &'a postgres::Row,
        place: usize,
        make: fn(T) -> Value,
    ) -> Result<Value, postgres::Error> {
        row.try_get::<_, Option<T>>(place).map(|value| value.map_or(Value::Null, make))
    }
    match *column.type_() {
        Type::BOOL => get(row, place, Value::Bool),
        Type::INT4 => get(row, place, Value::Int),
        Type::INT8 => get(row, place, Value::BigInt),
        Type::FLOAT8 => get(row, place, Value::Double),
        Type::TEXT => get(row, place, Value::Text),
        Type::UUID => get(row, place, Value::Uuid),
        Type::JSONB => get(row, place, Value::Json),
        // A function that returns nothing returns an empty text of this type.
        Type::VOID => return Ok(Value::Null),
        ref other => return Err(DatabaseError::unexpected(other.name())),
    }
    .map_err(|error| failure(&error))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut bytes::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql_checked(kind, out),
            Self::Int(value) => value.to_sql_checked(kind, out),
            Self::BigInt(value) => value.to_sql_checked(kind, out),
            Self::Double(value) => value.to_sql_checked(kind, out),
            Self::Text(value) => value.to_sql_checked(kind, out),
            Self::Uuid(value) => <Uuid as ToSql>::to_sql_checked(value, kind, out),
            Self::Json(value) => <Json as ToSql>::to_sql_checked(value, kind, out),
            Self::Ints(value) => value.to_sql_checked(kind, out),
            Self::BigInts(value) => value.to_sql_checked(kind, out),
            Self::Reals(value) => value.to_sql_checked(kind, out),
            Self::Texts(value) => value.to_sql_checked(kind, out),
            Self::Uuids(value) => value.to_sql_checked(kind, out),
            Self::Jsons(value) => value.to_sql_checked(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // Each kind of value checks for itself.
        true
    }

    to_sql_checked!();
}

/// Connects with or without TLS, as the URL asks for. Certificates are checked against those that the machine trusts.
pub fn connect(config: &Config) -> Result<Client, postgres::Error> {
    if config.get_ssl_mode() == SslMode::Disable {
        return config.connect(NoTls);
    }
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let tls = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.connect(MakeRustlsConnect::new(tls))
}

/// Calls whenever new work is committed, from a thread with a connection of its own, made anew when it breaks.
pub fn listen(config: Config, wake: Sender<()>) {
    let listening = move || {
        loop {
            if let Ok(mut client) = connect(&config)
                && client.batch_execute(&format!("{NO_LIMITS}; listen memento_job")).is_ok()
            {
                // What was committed while nobody listened.
                let mut is_wanted = wake.send(()).is_ok();
                let mut notifications = client.notifications();
                let mut arriving = notifications.blocking_iter();
                while let (true, Ok(Some(_))) = (is_wanted, arriving.next()) {
                    is_wanted = wake.send(()).is_ok();
                }
                if !is_wanted {
                    return;
                }
            }
            std::thread::sleep(RECONNECT);
        }
    };
    // Without it the worker looks for work at each heartbeat.
    let _ = std::thread::Builder::new().name("listener".into()).spawn(listening);
}
