//! A cluster that lives as long as the value.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};

use crate::server::Server;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// What initdb makes takes a second, and every test wants it: made once for each server, and copied.
static PRISTINE: Mutex<Vec<(PathBuf, PathBuf)>> = Mutex::new(Vec::new());

/// How a cluster is made.
pub struct Settings {
    /// Whether shared_preload_libraries has pg_memento.
    pub preload: bool,
    /// Further lines of postgresql.conf.
    pub lines: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { preload: true, lines: Vec::new() }
    }
}

/// A running (or stopped) cluster. It is gone when dropped.
pub struct Cluster {
    /// Its server.
    pub server: Server,
    directory: PathBuf,
    port: u16,
    password: String,
    /// Whether its directory outlives it.
    is_kept: bool,
}

/// Where a kept cluster notes its password.
const PASSWORD_FILE: &str = "password";

impl Cluster {
    /// A running cluster of the server under test, with the library preloaded.
    pub fn start() -> Self {
        Self::start_with(Server::from_environment(), Settings::default())
    }

    /// A running cluster as asked for.
    pub fn start_with(server: Server, settings: Settings) -> Self {
        let cluster = Self::unmade(server);
        cluster.initialise(&settings);
        cluster.boot();
        cluster
    }

    /// A name, a port and the password that all clusters of a process have; no files yet.
    fn unmade(server: Server) -> Self {
        let process = std::process::id();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            directory: server.clusters.join(format!("cluster-{process}-{number}")),
            port: free_port(),
            password: format!("secret-{process}"),
            is_kept: false,
            server,
        }
    }

    /// A second cluster of the same server, initialised and not started: for pg_upgrade.
    pub fn stopped_sibling(&self) -> Self {
        let sibling = Self::unmade(self.server.clone());
        sibling.initialise(&Settings::default());
        sibling
    }

    /// A hot standby that follows this cluster.
    pub fn standby(&self) -> Self {
        let standby = Self::unmade(self.server.clone());
        let mut backup = self.server.command("pg_basebackup");
        self.set_connection(&mut backup);
        run(backup.arg("--pgdata").arg(&standby.directory).args([
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--no-sync",
        ]));
        standby.append_settings(&[format!("port = {}", standby.port)]);
        standby.boot();
        standby
    }

    /// Stops it and moves its files to a directory of the same file system, from where [`Cluster::reopen`] takes them.
    pub fn keep(mut self, directory: &Path) {
        self.stop("fast");
        std::fs::write(self.directory.join(PASSWORD_FILE), &self.password)
            .expect("the directory is writable");
        std::fs::rename(&self.directory, directory).expect("the directory can be moved");
        self.is_kept = true;
    }

    /// A cluster that was kept, running, with further lines of postgresql.conf. It is still there when this is dropped.
    pub fn reopen(server: Server, directory: &Path, lines: &[String]) -> Self {
        let password =
            std::fs::read_to_string(directory.join(PASSWORD_FILE)).expect("a cluster that was kept");
        let cluster =
            Self { server, directory: directory.to_owned(), port: free_port(), password, is_kept: true };
        // Whoever had it open may have been killed.
        let _ = cluster.pg_ctl("stop").args(["--mode", "immediate", "--silent"]).output();
        cluster.append_settings(&[&[format!("port = {}", cluster.port)], lines].concat());
        cluster.boot();
        cluster
    }

    /// The data directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn initialise(&self, settings: &Settings) {
        let pristine = self.pristine();
        run(self.server.as_server_user("cp").arg("-a").arg(&pristine).arg(&self.directory));
        let mut lines = vec![
            "listen_addresses = '127.0.0.1'".to_owned(),
            format!("port = {}", self.port),
            "unix_socket_directories = ''".to_owned(),
            // A test that crashes the server checks what was committed; losing the machine is not tested.
            "fsync = off".to_owned(),
            "max_connections = 60".to_owned(),
            "timezone = 'UTC'".to_owned(),
        ];
        if settings.preload {
            lines.push("shared_preload_libraries = 'pg_memento'".to_owned());
        }
        lines.extend(settings.lines.iter().cloned());
        self.append_settings(&lines);
    }

    fn pristine(&self) -> PathBuf {
        let mut made = PRISTINE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, directory)) = made.iter().find(|(bindir, _)| *bindir == self.server.bindir) {
            return directory.clone();
        }
        let directory = self.server.clusters.join(format!("pristine-{}-{}", std::process::id(), made.len()));
        let password_file = directory.with_extension("password");
        std::fs::write(&password_file, &self.password).expect("the scratch directory is writable");
        run(self
            .server
            .command("initdb")
            .arg("--pgdata")
            .arg(&directory)
            .arg("--pwfile")
            .arg(&password_file)
            .args(["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8"])
            .arg("--no-sync"));
        std::fs::remove_file(&password_file).expect("it was just written");
        made.push((self.server.bindir.clone(), directory.clone()));
        directory
    }

    /// Adds lines to postgresql.conf. The later of two lines counts.
    pub fn append_settings(&self, lines: &[String]) {
        let path = self.directory.join("postgresql.conf");
        let mut conf = std::fs::read_to_string(&path).expect("postgresql.conf");
        conf.push_str(&lines.join("\n"));
        conf.push('\n');
        std::fs::write(&path, conf).expect("postgresql.conf is writable");
    }

    /// Starts a stopped cluster and waits until it takes connections.
    pub fn boot(&self) {
        run(self.pg_ctl("start").arg("--wait").arg("--log").arg(self.log_file()));
    }

    /// Stops it: `fast`, or `immediate` to simulate a crash.
    pub fn stop(&self, mode: &str) {
        run(self.pg_ctl("stop").arg("--wait").arg("--mode").arg(mode));
    }

    fn pg_ctl(&self, action: &str) -> Command {
        let mut command = self.server.command("pg_ctl");
        command.arg(action).arg("--pgdata").arg(&self.directory);
        command
    }

    fn log_file(&self) -> PathBuf {
        self.directory.join("server.log")
    }

    /// What the server has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    /// A new database in UTF-8 with a name of its own, without the extension.
    pub fn empty_database(&self) -> String {
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.connect("postgres")
            .batch_execute(&format!("create database {name} template template0"))
            .expect("a database can be made");
        name
    }

    /// A new database with the extension.
    pub fn database(&self) -> String {
        let name = self.empty_database();
        self.connect(&name)
            .batch_execute("create extension pg_memento cascade")
            .expect("the extension installs");
        name
    }

    /// A connection as superuser.
    pub fn connect(&self, database: &str) -> Client {
        self.try_connect("postgres", database).expect("the server takes connections")
    }

    /// A connection as a role, which is made if it is not there.
    pub fn connect_as(&self, role: &str, database: &str) -> Client {
        let mut admin = self.connect(database);
        let known = admin.query("select from pg_roles where rolname = $1", &[&role]).expect("pg_roles");
        if known.is_empty() {
            admin
                .batch_execute(&format!("create role \"{role}\" login password '{}'", self.password))
                .expect("a role can be made");
        }
        self.try_connect(role, database).expect("the role can log in")
    }

    /// A connection, if the server takes it.
    pub fn try_connect(&self, role: &str, database: &str) -> Result<Client, postgres::Error> {
        postgres::Config::new()
            .host("127.0.0.1")
            .port(self.port)
            .user(role)
            .password(&self.password)
            .dbname(database)
            .connect(NoTls)
    }

    /// The address of a database, for a program that takes it as a URL.
    pub fn url(&self, role: &str, database: &str) -> String {
        format!("postgresql://{role}:{}@127.0.0.1:{}/{database}?sslmode=disable", self.password, self.port)
    }

    /// A client program that finds this cluster through its environment: psql, or one of the server's own.
    pub fn client(&self, program: &str) -> Command {
        let mut command = if program == "psql" { Command::new("psql") } else { self.server.client(program) };
        self.set_connection(&mut command);
        command
    }

    /// Points any program that uses libpq at this cluster.
    pub fn set_connection(&self, command: &mut Command) {
        command
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", "postgres")
            .env("PGPASSWORD", &self.password)
            .env_remove("PGOPTIONS");
    }

    /// Runs a script with psql and gives what it prints, errors in their place, as a person would see it.
    pub fn psql(&self, database: &str, script: &str) -> String {
        let path = self.server.scratch.join(format!("script-{}-{database}", self.port));
        let (input, output) = (path.with_extension("sql"), path.with_extension("out"));
        std::fs::write(&input, script).expect("the scratch directory is writable");
        let printed = File::create(&output).expect("the scratch directory is writable");
        self.client("psql")
            .args(["-X", "-q", "-d", database])
            .env("PGOPTIONS", "-c client_min_messages=warning")
            .stdin(File::open(&input).expect("it was just written"))
            .stdout(printed.try_clone().expect("a file handle"))
            .stderr(printed)
            .status()
            .expect("psql runs");
        std::fs::remove_file(&input).expect("it was just written");
        read_and_remove(&output)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mode = if self.is_kept { "fast" } else { "immediate" };
        let _ = self.pg_ctl("stop").args(["--mode", mode, "--silent"]).output();
        if std::thread::panicking() {
            eprintln!("--- end of the server's log ---\n{}", last_lines(&self.log(), 30));
        }
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

/// Runs a command that must succeed and gives its output.
pub fn run(command: &mut Command) -> String {
    // The postmaster inherits what pg_ctl has; with pipes, reading to the end would wait for the server.
    let scratch = std::env::temp_dir().join(format!(
        "memento-run-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    ));
    let file = File::create(&scratch).expect("the temporary directory is writable");
    let status = command
        .stdin(std::process::Stdio::null())
        .stdout(file.try_clone().expect("a file handle"))
        .stderr(file)
        .status()
        .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    let text = read_and_remove(&scratch);
    assert!(status.success(), "{command:?} failed:\n{text}");
    text
}

fn read_and_remove(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    String::from_utf8_lossy(&text).into_owned()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// A port that nobody listens at, below those that the system gives to connections: a cluster that is stopped and started
/// again must find it free.
pub fn free_port() -> u16 {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    static NEXT_PORT: AtomicU32 = AtomicU32::new(0);
    // Far from the ports of a process that was started just before.
    let begin = std::process::id().wrapping_mul(97);
    (0..COUNT)
        .map(|_| FIRST + begin.wrapping_add(NEXT_PORT.fetch_add(1, Ordering::Relaxed)) % COUNT)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}
