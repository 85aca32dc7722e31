//! Evidence recall of chunks, beside peers that are written in Python: see chroma_recall.py.

use std::path::Path;
use std::process::Command;

use crate::data;

const FOLDER: &str = "chunking/chroma_chunking_eval";

/// Makes the Python environment if it is not there, and runs the script.
pub fn run() {
    let Some(root) = data::root() else { return };
    if !root.join(FOLDER).is_dir() {
        println!("skipped: {} is not there", root.join(FOLDER).display());
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let home = std::env::var_os("MEMENTO_BENCH_HOME").unwrap_or_else(|| panic!("run it by scripts/bench"));
    let python = Path::new(&home).join("bin/python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&home));
    }
    let requirements = here.join("requirements.txt");
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(requirements));
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    succeed(Command::new(&python).arg(here.join("chroma_recall.py")).arg(root.join(FOLDER)).arg(program));
}

fn succeed(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
