//! An upgraded installation is the same as a fresh one, and what was released is never edited.
//!
//! `scripts/freeze-release` keeps the install script of a release in pg_memento/released and the hash of every
//! released script in SHA256SUMS there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use memento_tests::{Cluster, Server, Settings, VERSION, catalogue, checkout};

fn released() -> PathBuf {
    checkout().join("pg_memento/released")
}

/// File name to hash, of all that was released.
fn frozen() -> BTreeMap<String, String> {
    let sums = std::fs::read_to_string(released().join("SHA256SUMS")).unwrap();
    sums.lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(hash, name)| (name.to_owned(), hash.to_owned()))
        .collect()
}

fn sha256(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().expect("sha256sum runs");
    assert!(output.status.success(), "{}", path.display());
    String::from_utf8_lossy(&output.stdout).split_whitespace().next().unwrap().to_owned()
}

#[test]
fn released_scripts_are_not_edited() {
    for (name, hash) in frozen() {
        let home =
            if name.matches("--").count() == 1 { released() } else { checkout().join("pg_memento/sql") };
        assert_eq!(
            sha256(&home.join(&name)),
            hash,
            "{name} was released: write a new upgrade script instead"
        );
    }
}

#[test]
fn every_release_is_frozen_and_can_be_upgraded_from() {
    let frozen = frozen();
    for entry in std::fs::read_dir(released()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.ends_with(".sql") {
            assert!(frozen.contains_key(&name), "{name} has no hash: run scripts/freeze-release");
        }
    }
    let versions: Vec<&str> = frozen.keys().filter_map(|name| release_version(name)).collect();
    if versions.is_empty() {
        eprintln!("nothing has been released yet");
        return;
    }
    let Some(bench) = Bench::new("upgrade") else { return };
    for version in versions {
        let script = std::fs::read_to_string(released().join(format!("pg_memento--{version}.sql"))).unwrap();
        bench.add_script(&format!("pg_memento--{version}.sql"), &script);
        assert_eq!(bench.upgrade_from(version), Vec::<String>::new(), "upgraded from {version}");
    }
}

/// `pg_memento--1.2.3.sql` is an install script, `pg_memento--1.2.3--1.2.4.sql` is not.
fn release_version(name: &str) -> Option<&str> {
    name.strip_prefix("pg_memento--")?.strip_suffix(".sql").filter(|version| !version.contains("--"))
}

/// The comparison above is worth something: it sees what an upgrade script forgot, and is content with a right one.
#[test]
fn a_forgotten_object_is_seen() {
    let Some(bench) = Bench::new("forgotten") else { return };
    let current = bench.installed_script();
    let line = "comment on function memento.version() is 'The version of the library.';";
    let wrong_policy =
        current.replace("for select\n  using (workspace_id in", "for all\n  using (workspace_id in");
    assert!(
        current.contains(line) && wrong_policy != current,
        "the install script has changed: mend this test"
    );
    let old = wrong_policy.replace(line, "");
    bench.add_script("pg_memento--0.0.1.sql", &old);

    bench.add_script(&format!("pg_memento--0.0.1--{VERSION}.sql"), "select 1;");
    let difference = bench.upgrade_from("0.0.1");
    assert!(difference.iter().any(|line| line.contains("function memento.version")), "{difference:#?}");
    assert!(difference.iter().any(|line| line.contains("policy workspace_read")), "{difference:#?}");

    let right = format!(
        "{line}
         drop policy workspace_read on memento.workspace;
         create policy workspace_read on memento.workspace for select
           using (workspace_id in (select p.workspace_id from memento.project p));
         comment on policy workspace_read on memento.workspace is 'Workspaces of the projects that the role may read.';"
    );
    bench.add_script(&format!("pg_memento--0.0.1--{VERSION}.sql"), &right);
    assert_eq!(bench.upgrade_from("0.0.1"), Vec::<String>::new());
}

/// A server of its own, in which scripts of other versions can be put.
struct Bench {
    cluster: Cluster,
    extensions: PathBuf,
    root: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Option<Self> {
        let Some(server) = Server::from_environment().private_copy(name) else {
            eprintln!("skipped: the server of PG_CONFIG cannot be copied");
            return None;
        };
        let extensions = Path::new(&server.config("--sharedir")).join("extension");
        let root = server.scratch.join(format!("{name}-{}", std::process::id()));
        Some(Self { cluster: Cluster::start_with(server, Settings::default()), extensions, root })
    }

    fn installed_script(&self) -> String {
        std::fs::read_to_string(self.extensions.join(format!("pg_memento--{VERSION}.sql"))).unwrap()
    }

    fn add_script(&self, name: &str, text: &str) {
        let path = self.extensions.join(name);
        // Files of the copy are shared with the original until they are replaced.
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, text).unwrap();
    }

    /// Installs an old version, remembers something, upgrades; the difference to a fresh installation.
    fn upgrade_from(&self, version: &str) -> Vec<String> {
        let mut old = self.cluster.connect(&self.cluster.empty_database());
        old.batch_execute(&format!("create extension pg_memento version '{version}' cascade")).unwrap();
        old.batch_execute("select memento.remember('a sentinel from before the upgrade')").unwrap();
        old.batch_execute("alter extension pg_memento update").unwrap();
        assert_eq!(old.query("select from memento.recall('sentinel')", &[]).unwrap().len(), 1);
        let fresh = catalogue::listing(&mut self.cluster.connect(&self.cluster.database()));
        catalogue::difference(&fresh, &catalogue::listing(&mut old))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.cluster.stop("immediate");
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
