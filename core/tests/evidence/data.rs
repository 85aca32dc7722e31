//! Texts written by others, where MEMENTO_DATA says that they are. Without it the tests that need them are skipped.

use std::path::{Path, PathBuf};

/// The folder of the data sets; says so where there is none.
pub fn root() -> Option<PathBuf> {
    let root = std::env::var_os("MEMENTO_DATA").map(PathBuf::from);
    if root.is_none() {
        println!("skipped: MEMENTO_DATA is not set");
    }
    root
}

/// A file that is there if the data is.
pub fn file(path: &str) -> Option<String> {
    let path = root()?.join(path);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// All files with one of some endings, by path.
pub fn files(endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    if let Some(root) = root() {
        collect(&root, endings, &mut paths);
        assert!(!paths.is_empty(), "no data below {}", root.display());
    }
    paths.sort();
    // What is not UTF-8 cannot be stored in Postgres either.
    paths
        .into_iter()
        .filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)))
        .collect()
}

fn collect(directory: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, endings, found);
        } else if path.extension().and_then(|ending| ending.to_str()).is_some_and(|e| endings.contains(&e)) {
            found.push(path);
        }
    }
}
