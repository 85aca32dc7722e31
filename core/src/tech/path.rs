//! Paths, places in files, and resources of a cluster.

use super::Kind;
use super::number::is_number;

/// Endings of file names.
const FILE_ENDINGS: [&[u8]; 70] = [
    b"rs", b"py", b"js", b"ts", b"tsx", b"jsx", b"go", b"java", b"kt", b"rb", b"php", b"swift", b"scala",
    b"lua", b"c", b"h", b"cc", b"hpp", b"cpp", b"cs", b"cu", b"sql", b"sh", b"bat", b"ps1", b"md", b"txt",
    b"log", b"json", b"yaml", b"yml", b"toml", b"xml", b"html", b"css", b"scss", b"vue", b"jsp", b"erb",
    b"conf", b"cfg", b"ini", b"env", b"lock", b"gradle", b"proto", b"tf", b"so", b"dll", b"exe", b"jar",
    b"war", b"csv", b"xls", b"xlsx", b"docx", b"pptx", b"parquet", b"sqlite", b"tar", b"gz", b"zip", b"pdf",
    b"png", b"jpg", b"jpeg", b"gif", b"svg", b"ipynb", b"service",
];

/// Names of files that have no ending.
const FILE_NAMES: [&[u8]; 8] = [
    b"Makefile",
    b"Dockerfile",
    b"Containerfile",
    b"Jenkinsfile",
    b"Vagrantfile",
    b"Gemfile",
    b"Rakefile",
    b"Procfile",
];

pub fn is_file_name(word: &[u8]) -> bool {
    FILE_NAMES.contains(&word)
}

pub fn is_file_ending(label: &[u8]) -> bool {
    FILE_ENDINGS.iter().any(|ending| label.eq_ignore_ascii_case(ending))
}

/// Kinds of resources that are written before a slash and a name.
const RESOURCES: [&[u8]; 22] = [
    b"pod",
    b"pods",
    b"po",
    b"deployment",
    b"deployments",
    b"deploy",
    b"svc",
    b"service",
    b"services",
    b"node",
    b"nodes",
    b"configmap",
    b"cm",
    b"secret",
    b"ns",
    b"namespace",
    b"ingress",
    b"cronjob",
    b"statefulset",
    b"daemonset",
    b"replicaset",
    b"pvc",
];

pub fn kind(word: &[u8]) -> Option<Kind> {
    let drive = word.len() > 3 && word[0].is_ascii_alphabetic() && word[1..].starts_with(b":\\");
    if drive || (word.starts_with(b"\\\\") && is_named(word)) {
        return Some(Kind::Path);
    }
    if !word.contains(&b'/') || !is_named(word) {
        return None;
    }
    let rooted: [&[u8]; 4] = [b"/", b"./", b"../", b"~/"];
    if rooted.iter().any(|root| word.starts_with(root)) {
        return Some(Kind::Path);
    }
    if is_resource(word) {
        return Some(Kind::Identifier);
    }
    // `and/or` is prose: a path without a root has a file name or something else that prose has not.
    let technical = |part: &[u8]| part.contains(&b'_') || part.contains(&b'.') && is_named(part);
    word.split(|b| *b == b'/').any(technical).then_some(Kind::Path)
}

/// Whether it has letters or digits enough to be a name.
fn is_named(text: &[u8]) -> bool {
    text.iter().filter(|b| b.is_ascii_alphanumeric()).nth(1).is_some()
}

/// `deployment/payments-api`
fn is_resource(word: &[u8]) -> bool {
    let mut parts = word.split(|b| *b == b'/');
    let (Some(resource), Some(name), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    RESOURCES.contains(&resource)
        && name.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'))
        && name.contains(&b'-')
}

/// `main.rs:42`, `app/main.py:10:5`: a frame of a stack trace.
pub fn is_place_in_file(word: &[u8]) -> bool {
    let mut parts = word.split(|b| *b == b':');
    let file = parts.next().unwrap_or_default();
    let Some(dot) = file.iter().rposition(|b| *b == b'.') else { return false };
    dot > 0 && is_file_ending(&file[dot + 1..]) && parts.clone().count() <= 2 && parts.all(is_number)
}
