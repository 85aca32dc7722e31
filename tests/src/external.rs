//! The program memento-worker, as it runs on other machines.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::cluster::Cluster;

/// The role of workers on other machines. It may work the queue and nothing else.
const ROLE: &str = "queue_worker";

/// A running process. It is killed when dropped.
pub struct ExternalWorker(Child);

impl ExternalWorker {
    /// Starts one for a database, with further arguments.
    pub fn start(cluster: &Cluster, database: &str, arguments: &[&str]) -> Self {
        let role = cluster.connect_as(ROLE, database);
        drop(role);
        cluster
            .connect(database)
            .execute("select memento.grant_worker($1::text::name)", &[&ROLE])
            .expect("the role can be a worker");
        let program = program("memento-worker");
        let child = Command::new(&program)
            .args(["--allow-host", "*", "--allow-private", "yes"])
            .args(arguments)
            .env("DATABASE_URL", cluster.url(ROLE, database))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}: run this through scripts/test", program.display()));
        Self(child)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(name).arg(self.pid().to_string()).status().expect("kill runs");
        assert!(status.success(), "no process {} to signal", self.pid());
    }

    /// Asks it to stop in order, and waits for that.
    pub fn stop(mut self) {
        self.signal("-TERM");
        let status = self.0.wait().expect("it is our child");
        assert!(status.success(), "it ended with {status}");
    }
}

impl Drop for ExternalWorker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program of the workspace, which is beside the test's own.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a program has a path");
    test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").join(name)
}
