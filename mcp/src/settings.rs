//! What memento-mcp is told, on the command line and in the environment.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio_postgres::Config;

use crate::journal::Detail;

/// How it is called.
pub const USAGE: &str = "memento-mcp [serve|install CLIENT|doctor] [OPTION VALUE ...]

Gives agents the memory of a database with pg_memento, over MCP: on stdin and stdout, or with --http over HTTP.

  --database-url URL        of the database; better in the environment as DATABASE_URL, which other users cannot see
  --role ROLE               that the shim works as, if not the one of the URL
  --project PROJECT         id, name or workspace/name; without it, agents choose by projects.resolve
  --toolset NAMES           core (default), memory, events, lineage, truth, kb, admin, all; several with commas
  --tool-names seed|plain   memory.search or memory_search, for clients that refuse dots (seed); calls may use both
  --read-only               nothing can be written
  --connections N           to the database at most (4; 16 over HTTP)
  --statement-timeout SECS  for one call (60)
  --max-bytes N             of the arguments of one call (16777216)
  --page-size N             tools or resources of one page (100)
  --log nothing|failures|calls   on stderr, without content (failures)

  --http ADDRESS            to listen on, for example 127.0.0.1:8766; the path is /mcp
  --token-file FILE         with the token that clients send as Authorization: Bearer; or MEMENTO_MCP_TOKEN
  --no-token                for loopback only: everybody on this machine may use the memory
  --allow-host HOST         that clients may call it by, beside loopback; can be repeated
  --allow-origin ORIGIN     of browsers that may use it, as https://app.example.com:443; none by default; can be repeated
  --max-sessions N          at once (256)

  install CLIENT            claude-code, claude-desktop, cursor, vscode or codex: checks the database and prints its settings
  --write                   ... and writes them to where the client looks for them
  --name NAME               under which the client knows it (memento)
  doctor                    checks the database
  --help";

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Speak MCP on stdin and stdout.
    Stdio,
    /// Speak MCP over HTTP.
    Http(HttpSettings),
    /// Set a client up.
    Install {
        /// Its name.
        client: String,
        /// Whether to write, not only to print.
        write: bool,
        /// The name of the server in the client's settings.
        name: String,
    },
    /// Check the database.
    Doctor,
}

/// How it is served over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Where to listen.
    pub address: SocketAddr,
    /// What clients must send; none for loopback without.
    pub token: Option<String>,
    /// Names that clients may call it by, beside loopback.
    pub hosts: Vec<String>,
    /// Where browsers' pages may come from.
    pub origins: Vec<String>,
    /// How many sessions there may be at once.
    pub max_sessions: usize,
}

/// What holds for every way to serve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the database is.
    pub database: Config,
    /// The same as it was given, for the settings of clients.
    pub url: String,
    /// The role to work as.
    pub role: Option<String>,
    /// The project to work in; clients cannot change it.
    pub project: Option<String>,
    /// Which tools there are.
    pub toolset: String,
    /// Whether dots in names are written as underscores.
    pub plain_names: bool,
    /// Whether nothing can be written.
    pub read_only: bool,
    /// How many connections to the database.
    pub connections: usize,
    /// For one call.
    pub statement_timeout: Duration,
    /// Of the arguments of one call.
    pub max_bytes: usize,
    /// Of lists.
    pub page_size: usize,
    /// What is told on stderr.
    pub detail: Detail,
}

/// What was read so far.
#[derive(Default)]
struct Given {
    words: Vec<String>,
    http: Option<String>,
    token_file: Option<String>,
    no_token: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    max_sessions: Option<usize>,
    connections: Option<usize>,
    write: bool,
    name: Option<String>,
}

/// Reads the arguments; none if help is asked for.
pub fn read(
    mut arguments: impl Iterator<Item = String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Option<(Settings, Command)>, String> {
    let mut given = Given::default();
    let mut settings = Settings {
        database: Config::new(),
        url: environment("DATABASE_URL").unwrap_or_default(),
        role: None,
        project: None,
        toolset: "core".into(),
        plain_names: false,
        read_only: false,
        connections: 0,
        statement_timeout: Duration::from_secs(60),
        max_bytes: 16 << 20,
        page_size: 100,
        detail: Detail::default(),
    };
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(None);
        }
        read_one(&argument, &mut arguments, &mut settings, &mut given)?;
    }
    if settings.url.is_empty() {
        return Err("--database-url or DATABASE_URL is missing".into());
    }
    // What it says about a bad URL may quote it, and with it the password.
    settings.database = settings.url.parse().map_err(|_| "the database URL cannot be read")?;
    settings.connections = given.connections.unwrap_or(if given.http.is_some() { 16 } else { 4 });
    let command = command(given, &environment)?;
    Ok(Some((settings, command)))
}

fn read_one(
    argument: &str,
    rest: &mut impl Iterator<Item = String>,
    settings: &mut Settings,
    given: &mut Given,
) -> Result<(), String> {
    let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
    match argument {
        "--database-url" => settings.url = value()?,
        "--role" => settings.role = Some(value()?),
        "--project" => settings.project = Some(value()?),
        "--toolset" => settings.toolset = value()?,
        "--tool-names" => settings.plain_names = word(argument, &value()?, &["seed", "plain"])? == 1,
        "--read-only" => settings.read_only = true,
        "--connections" => given.connections = Some(number(argument, &value()?, 1000)?),
        "--statement-timeout" => {
            settings.statement_timeout = Duration::from_secs(number(argument, &value()?, 86_400)? as u64);
        }
        "--max-bytes" => settings.max_bytes = number(argument, &value()?, 1 << 30)?,
        "--page-size" => settings.page_size = number(argument, &value()?, 1000)?,
        "--log" => {
            let level = word(argument, &value()?, &["nothing", "failures", "calls"])?;
            settings.detail = [Detail::Nothing, Detail::Failures, Detail::Calls][level];
        }
        "--http" => given.http = Some(value()?),
        "--token-file" => given.token_file = Some(value()?),
        "--no-token" => given.no_token = true,
        "--allow-host" => given.hosts.push(value()?),
        "--allow-origin" => given.origins.push(value()?),
        "--max-sessions" => given.max_sessions = Some(number(argument, &value()?, 100_000)?),
        "--write" => given.write = true,
        "--name" => given.name = Some(value()?),
        other if other.starts_with('-') => return Err(format!("unknown argument: {other}")),
        other => given.words.push(other.to_owned()),
    }
    Ok(())
}

fn command(given: Given, environment: &impl Fn(&str) -> Option<String>) -> Result<Command, String> {
    let words: Vec<&str> = given.words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["serve"] => match given.http.clone() {
            Some(address) => http(given, &address, environment).map(Command::Http),
            None => Ok(Command::Stdio),
        },
        ["install", client] => Ok(Command::Install {
            client: client.to_owned(),
            write: given.write,
            name: given.name.unwrap_or_else(|| "memento".into()),
        }),
        ["doctor"] => Ok(Command::Doctor),
        _ => Err(format!("unknown command: {}", words.join(" "))),
    }
}

fn http(
    given: Given,
    address: &str,
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<HttpSettings, String> {
    let address: SocketAddr = match address.parse::<u16>() {
        Ok(port) => (IpAddr::V4(Ipv4Addr::LOCALHOST), port).into(),
        Err(_) => address.parse().map_err(|_| "--http must be a port or an address with a port")?,
    };
    let token = match given.token_file {
        Some(file) => {
            Some(std::fs::read_to_string(&file).map_err(|error| format!("{file} cannot be read: {error}"))?)
        }
        None => environment("MEMENTO_MCP_TOKEN"),
    };
    let token = token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
    match (&token, given.no_token, address.ip().is_loopback()) {
        (Some(token), false, _) if token.len() < 16 => {
            return Err("the token must have at least 16 characters".into());
        }
        (Some(_), true, _) => return Err("there is a token, and --no-token".into()),
        (None, false, _) => {
            return Err("over HTTP a token is needed: --token-file, MEMENTO_MCP_TOKEN, or --no-token".into());
        }
        (None, true, false) => return Err("--no-token is for loopback only".into()),
        _ => {}
    }
    Ok(HttpSettings {
        address,
        token,
        hosts: given.hosts,
        origins: given.origins,
        max_sessions: given.max_sessions.unwrap_or(256),
    })
}

fn word(argument: &str, value: &str, known: &[&str]) -> Result<usize, String> {
    known
        .iter()
        .position(|&known| known == value)
        .ok_or_else(|| format!("{argument} must be one of {}", known.join(", ")))
}

fn number(argument: &str, value: &str, most: usize) -> Result<usize, String> {
    match value.parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ => Err(format!("{argument} must be a number from 1 to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "postgresql://u:hunter2@h/d";

    fn told(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Option<(Settings, Command)>, String> {
        read(arguments.iter().map(|&argument| argument.to_owned()), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn stdio_and_core_are_the_default() {
        let (settings, command) = told(&[], &[("DATABASE_URL", URL)]).unwrap().unwrap();
        assert_eq!((command, settings.toolset.as_str()), (Command::Stdio, "core"));
        assert_eq!((settings.connections, settings.project), (4, None));
    }

    #[test]
    fn over_http_there_is_a_token() {
        let token = ("MEMENTO_MCP_TOKEN", "0123456789abcdef\n");
        let (_, command) =
            told(&["--http", "8766", "--database-url", URL, "--allow-host", "m.example"], &[token])
                .unwrap()
                .unwrap();
        let Command::Http(http) = command else { panic!("{command:?}") };
        assert!(http.address.ip().is_loopback());
        assert_eq!((http.token.as_deref(), http.hosts.len()), (Some("0123456789abcdef"), 1));
    }

    #[test]
    fn mistakes_are_told_without_the_password() {
        for (arguments, said) in [
            (vec!["--database-url", ""], "DATABASE_URL is missing"),
            (vec!["--database-url", "postgresql://u:hunter2@h:x/d"], "cannot be read"),
            (vec!["--toolset"], "needs a value"),
            (vec!["--nonsense"], "unknown argument"),
            (vec!["nonsense"], "unknown command"),
            (vec!["--tool-names", "odd"], "one of seed, plain"),
            (vec!["--connections", "0"], "from 1 to"),
            (vec!["--http", "nowhere"], "a port or an address"),
            (vec!["--http", "8766"], "a token is needed"),
            (vec!["--http", "0.0.0.0:8766", "--no-token"], "loopback only"),
            (vec!["--http", "8766", "--token-file", "/nonexistent"], "cannot be read"),
        ] {
            let mistake = told(&arguments, &[("DATABASE_URL", URL)]).err().unwrap();
            assert!(mistake.contains(said) && !mistake.contains("hunter2"), "{mistake}");
        }
        assert!(told(&["--help"], &[]).unwrap().is_none());
    }
}
