//! The installed server that clusters are made of.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The binaries of a Postgres server and who runs them.
#[derive(Clone, Debug)]
pub struct Server {
    /// Path of pg_config.
    pub pg_config: PathBuf,
    /// Where initdb, postgres and the clients are.
    pub bindir: PathBuf,
    /// Where tests put files; on the file system of the server, whose files are shared with copies of it.
    pub scratch: PathBuf,
    /// Where clusters are made.
    pub clusters: PathBuf,
    run_as: Option<(u32, u32)>,
}

impl Server {
    /// The server that scripts/test named.
    pub fn from_environment() -> Self {
        let variable = |name: &str| {
            std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run this through scripts/test"))
        };
        let pg_config = PathBuf::from(variable("MEMENTO_PG_CONFIG"));
        let scratch = PathBuf::from(variable("MEMENTO_TEST_DIR"));
        let clusters = std::env::var_os("MEMENTO_CLUSTER_DIR").map_or_else(|| scratch.clone(), PathBuf::from);
        let run_as = std::env::var("MEMENTO_SERVER_IDS").ok().map(|ids| {
            let (uid, gid) = ids.split_once(':').expect("MEMENTO_SERVER_IDS is uid:gid");
            (uid.parse().expect("a number"), gid.parse().expect("a number"))
        });
        let bindir = bindir(&pg_config);
        Self { pg_config, bindir, scratch, clusters, run_as }
    }

    /// What pg_config says.
    pub fn config(&self, option: &str) -> String {
        ask(&self.pg_config, option)
    }

    /// The major version.
    pub fn major(&self) -> u32 {
        let version = self.config("--version");
        let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .and_then(|n| n.parse().ok())
            .expect("a version number")
    }

    /// A program of the server, run by the user of the server (Postgres refuses root).
    pub fn command(&self, program: &str) -> Command {
        self.as_server_user(self.bindir.join(program))
    }

    /// Any program, run by the user of the server.
    pub fn as_server_user(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some((uid, gid)) = self.run_as {
            command.uid(uid).gid(gid);
        }
        // pgrx would add a backtrace to the DETAIL of every error: the library must see to it that none is shown.
        command.current_dir("/").env("RUST_BACKTRACE", "1");
        command
    }

    /// A program of the server, run by whoever runs the test.
    pub fn client(&self, program: &str) -> Command {
        Command::new(self.bindir.join(program))
    }

    /// A copy of the server's files that a test may change; none if the server is not private to the checkout,
    /// for only those can be moved. Files are shared until they are replaced.
    pub fn private_copy(&self, name: &str) -> Option<Self> {
        let root = self.relocatable_root()?;
        let copy = self.scratch.join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&copy);
        let status = Command::new("cp").arg("-al").arg(&root).arg(&copy).status().expect("cp runs");
        assert!(status.success(), "cannot copy {}", root.display());
        let pg_config = copy.join(self.pg_config.canonicalize().ok()?.strip_prefix(&root).ok()?);
        Some(Self { bindir: bindir(&pg_config), pg_config, ..self.clone() })
    }

    fn relocatable_root(&self) -> Option<PathBuf> {
        let home = self.scratch.parent()?;
        let pg_config = self.pg_config.canonicalize().ok()?;
        let inside = pg_config.strip_prefix(home.canonicalize().ok()?).ok()?;
        // servers/15 or wheels/NAME
        let top: PathBuf = inside.components().take(2).collect();
        Some(home.canonicalize().ok()?.join(top))
    }
}

fn bindir(pg_config: &Path) -> PathBuf {
    PathBuf::from(ask(pg_config, "--bindir"))
}

fn ask(pg_config: &Path, option: &str) -> String {
    let output = Command::new(pg_config).arg(option).output().expect("pg_config runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
