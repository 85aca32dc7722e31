//! What memento-worker is told.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use postgres::Config;

use crate::provider::Policy;
use crate::runner::Settings;

/// How it is called.
pub const USAGE: &str = "memento-worker --database-url URL [OPTION VALUE ...]

Works the queue of a database with pg_memento. Its role needs memento.grant_worker(role).

  --database-url URL      of the database; better in the environment as DATABASE_URL, which other users cannot see
  --name NAME             of this worker; by default host and process
  --concurrency N         calls of one endpoint at once (4)
  --batch N               jobs taken at once (64)
  --lease SECONDS         for which a job is taken; extended while it runs (120)
  --model-dir DIR         local model: model.onnx and tokenizer.json
  --onnx-library FILE     library of ONNX Runtime
  --threads N             threads of the local model (1)
  --allow-host HOST       that may be called, also host:port, *.domain or *; can be repeated
  --allow-private yes     also call loopback and private addresses
  --key-dir DIR           in which keys may be named as files
  --timeout SECONDS       for one call (60)
  --metrics-port PORT     on which Prometheus can read /metrics
  --metrics-address IP    on which it is served (127.0.0.1); anybody who can reach it can read it
  --once                  stop when nothing is due
  --help";

/// How long a worker on another machine may be silent at most.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// How often the maintenance is done; once for all workers would do, and more does no harm.
const MAINTENANCE: Duration = Duration::from_secs(600);

/// The command line, read.
pub struct Options {
    /// Where the database is.
    pub database: Config,
    /// How the loop works.
    pub settings: Settings,
    /// What models may do.
    pub policy: Policy,
    /// Whether to stop when nothing is due.
    pub once: bool,
    /// Where metrics are served.
    pub metrics_port: Option<u16>,
    /// On which of the machine's addresses.
    pub metrics_address: IpAddr,
}

impl Options {
    /// Reads the arguments; none if help is asked for.
    pub fn from_arguments(
        arguments: impl Iterator<Item = String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let mut url = environment("DATABASE_URL");
        let mut settings = Settings {
            worker: default_name(&environment),
            lease: Duration::from_secs(120),
            concurrency: 4,
            batch: 64,
            maintenance: MAINTENANCE,
            heartbeat: Some(HEARTBEAT),
            is_servers_own: false,
            most: u64::MAX,
        };
        let (mut policy, mut hosts, mut once) = (Policy::default(), Vec::new(), false);
        let (mut metrics_port, mut metrics_address) = (None, IpAddr::V4(Ipv4Addr::LOCALHOST));
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--once" => once = true,
                "--database-url" => url = Some(value()?),
                "--name" => settings.worker = value()?,
                "--concurrency" => settings.concurrency = number(&argument, &value()?, 64)?,
                "--batch" => settings.batch = number(&argument, &value()?, 10_000)?,
                "--lease" => settings.lease = seconds(&argument, &value()?)?,
                "--model-dir" => policy.local.model_dir = Some(PathBuf::from(value()?)),
                "--onnx-library" => policy.local.library = Some(PathBuf::from(value()?)),
                "--threads" => policy.local.threads = number(&argument, &value()?, 256)?,
                "--allow-host" => hosts.push(value()?),
                "--allow-private" => policy.allow_private = value()? == "yes",
                "--key-dir" => policy.keys.directory = Some(PathBuf::from(value()?)),
                "--metrics-port" => {
                    metrics_port = u16::try_from(number(&argument, &value()?, 65_535)?).ok();
                }
                "--metrics-address" => {
                    metrics_address =
                        value()?.parse().map_err(|_| format!("{argument} must be an IP address"))?;
                }
                "--timeout" => policy.timeout = seconds(&argument, &value()?)?,
                other => return Err(format!("unknown argument: {other}")),
            }
        }
        if !hosts.is_empty() {
            policy.allowed_hosts = hosts;
        }
        let url = url.ok_or("--database-url or DATABASE_URL is missing")?;
        // What it says about a bad URL may quote it, and with it the password.
        let mut database: Config = url.parse().map_err(|_| "the database URL cannot be read")?;
        database.application_name("memento-worker");
        Ok(Some(Self { database, settings, policy, once, metrics_port, metrics_address }))
    }
}

fn default_name(environment: &impl Fn(&str) -> Option<String>) -> String {
    let host = environment("HOSTNAME")
        .or_else(|| std::fs::read_to_string("/etc/hostname").ok())
        .map_or_else(|| "worker".to_owned(), |name| name.trim().to_owned());
    format!("{host}:{}", std::process::id())
}

fn number(argument: &str, value: &str, most: usize) -> Result<usize, String> {
    match value.parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ => Err(format!("{argument} must be a number from 1 to {most}")),
    }
}

fn seconds(argument: &str, value: &str) -> Result<Duration, String> {
    number(argument, value, 86_400).map(|seconds| Duration::from_secs(seconds as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Option<Options>, String> {
        Options::from_arguments(arguments.iter().map(|&argument| argument.to_owned()), |_| None)
    }

    #[test]
    fn what_is_given_is_used() {
        let options =
            read(&["--database-url", "postgresql://h/d", "--batch", "7", "--allow-host", "x:1", "--once"])
                .unwrap()
                .unwrap();
        assert_eq!((options.settings.batch, options.once), (7, true));
        assert_eq!(options.policy.allowed_hosts, ["x:1"]);
        assert_eq!(options.database.get_dbname(), Some("d"));
    }

    #[test]
    fn mistakes_are_told_without_the_password() {
        for (arguments, said) in [
            (vec![], "DATABASE_URL is missing"),
            (vec!["--batch"], "--batch needs a value"),
            (vec!["--batch", "0"], "from 1 to"),
            (vec!["--lease", "x"], "from 1 to"),
            (vec!["--nonsense"], "unknown argument"),
            (vec!["--metrics-address", "localhost"], "must be an IP address"),
            (vec!["--database-url", "postgresql://u:hunter2@h:x/d"], "cannot be read"),
        ] {
            let mistake = read(&arguments).err().unwrap();
            assert!(mistake.contains(said) && !mistake.contains("hunter2"), "{mistake}");
        }
        assert!(read(&["--help"]).unwrap().is_none());
    }
}
