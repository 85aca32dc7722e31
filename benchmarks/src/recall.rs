//! Evidence recall of chunks, beside peers that are written in Python: see chroma_recall.py.

use std::path::Path;

use crate::{data, python};

const FOLDER: &str = "chunking/chroma_chunking_eval";

/// Runs the script.
pub fn run() {
    let Some(root) = data::root() else { return };
    if !root.join(FOLDER).is_dir() {
        println!("skipped: {} is not there", root.join(FOLDER).display());
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("chroma_recall.py");
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    python::succeed(python::interpreter("requirements.txt").arg(script).arg(root.join(FOLDER)).arg(program));
}
