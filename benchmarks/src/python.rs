//! Peers that are written in Python: an environment of their own, made when it is first needed.

use std::path::Path;
use std::process::Command;

/// The interpreter, with the packages of a file beside Cargo.toml installed.
pub fn interpreter(requirements: &str) -> Command {
    let home = std::env::var_os("MEMENTO_BENCH_HOME").unwrap_or_else(|| panic!("run it by scripts/bench"));
    let python = Path::new(&home).join("bin/python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&home));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(requirements);
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(file));
    Command::new(python)
}

/// Runs a command that must not fail.
pub fn succeed(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
