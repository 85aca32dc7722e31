//! The texts that are measured on.

use std::path::{Path, PathBuf};

/// All Markdown files below a folder of MEMENTO_DATA, or none, with a word about it, where it is not there.
pub fn markdown(folder: &str) -> Option<Vec<String>> {
    let Some(root) = std::env::var_os("MEMENTO_DATA").map(PathBuf::from) else {
        println!("skipped: MEMENTO_DATA is not set");
        return None;
    };
    let mut files = Vec::new();
    collect(&root.join(folder), &mut files);
    if files.is_empty() {
        println!("skipped: no Markdown below {}", root.join(folder).display());
        return None;
    }
    files.sort();
    Some(files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}
