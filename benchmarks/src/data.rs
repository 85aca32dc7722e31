//! The texts that are measured on.

use std::path::{Path, PathBuf};

/// All Markdown files below a folder of MEMENTO_DATA, or none, with a word about it, where it is not there.
pub fn markdown(folder: &str) -> Option<Vec<String>> {
    let found: Vec<String> = files(folder, "md").into_iter().map(|(_, text)| text).collect();
    (!found.is_empty()).then_some(found)
}

/// All files with an ending below a folder of MEMENTO_DATA, by path.
pub fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let Some(root) = root() else { return Vec::new() };
    let mut paths = Vec::new();
    collect(&root.join(folder), ending, &mut paths);
    if paths.is_empty() {
        println!("skipped: no .{ending} below {}", root.join(folder).display());
    }
    paths.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    paths.iter().filter_map(|path| Some((name(path), std::fs::read_to_string(path).ok()?))).collect()
}

/// One file of MEMENTO_DATA.
pub fn file(path: &str) -> Option<String> {
    let path = root()?.join(path);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: {} is not there", path.display());
    }
    text
}

/// Where the data sets are, or a word about it that nobody has said.
pub fn root() -> Option<PathBuf> {
    let root = std::env::var_os("MEMENTO_DATA").map(PathBuf::from);
    if root.is_none() {
        println!("skipped: MEMENTO_DATA is not set");
    }
    root
}

fn collect(directory: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, ending, files);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            files.push(path);
        }
    }
}

/// Prints a detail where MEMENTO_VERBOSE is set.
pub fn tell(detail: impl Fn() -> String) {
    if std::env::var_os("MEMENTO_VERBOSE").is_some() {
        println!("{}", detail());
    }
}
