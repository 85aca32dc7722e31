//! What README and docs promise: every SQL snippet runs, and prints what stands below it; the reference says what the
//! COMMENTs say. MEMENTO_UPDATE=1 writes the output instead.

use std::path::PathBuf;

use memento_tests::snippet::{Snippet, normalised, snippets};
use memento_tests::{Cluster, VERSION, assert_file, checkout, updating};

fn documents() -> Vec<PathBuf> {
    let mut found = vec![checkout().join("README.md")];
    found.extend(
        std::fs::read_dir(checkout().join("docs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
    );
    found.sort();
    found
}

#[test]
fn every_snippet_runs_and_prints_what_the_document_says() {
    let cluster = Cluster::start();
    let mut checked = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        let found = snippets(&text);
        // The README begins with installing; the others take that for granted.
        let database =
            if path.ends_with("README.md") { cluster.empty_database() } else { cluster.database() };
        let outputs = run(&cluster, &database, &found);
        assert_eq!(outputs.len(), found.len(), "{}: psql stopped:\n{}", path.display(), outputs.join("\n"));
        if updating() {
            let updated = with_outputs(&text, &found, &outputs);
            // Another test writes the reference meanwhile: leave alone what needs no change.
            if updated != text {
                assert_file(&path, &updated);
            }
            continue;
        }
        for (snippet, output) in found.iter().zip(&outputs) {
            checked += 1;
            let place = format!("{}:{}", path.display(), snippet.line);
            match &snippet.output {
                Some(promised) => {
                    assert_eq!(
                        normalised(output),
                        normalised(promised),
                        "{place}: run scripts/update-expected"
                    );
                }
                None => assert!(!output.contains("ERROR:"), "{place}:\n{output}"),
            }
        }
    }
    assert!(checked > 10 || updating(), "only {checked} snippets were found");
}

/// One session for a whole document, as a reader would have; a marker tells the snippets apart.
fn run(cluster: &Cluster, database: &str, found: &[Snippet]) -> Vec<String> {
    const MARKER: &str = "=====snippet=====";
    let script: String = found.iter().map(|snippet| format!("\\echo {MARKER}\n{}\n", snippet.sql)).collect();
    cluster
        .psql(database, &script)
        .split(MARKER)
        .skip(1)
        .map(|part| part.trim_matches('\n').to_owned())
        .collect()
}

fn with_outputs(text: &str, found: &[Snippet], outputs: &[String]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    // From the end, so that the numbers of the lines before stay right.
    for (snippet, output) in found.iter().zip(outputs).rev() {
        if let (Some(start), Some(old)) = (snippet.output_line, &snippet.output) {
            // What differs from run to run is kept as it was.
            if normalised(old) != normalised(output) {
                let count = old.lines().count();
                lines.splice(start - 1..start - 1 + count, output.lines().map(str::trim_end));
            }
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_reference_is_what_the_comments_say() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.version()").unwrap();
    let lines = client.query(include_str!("reference.sql"), &[]).unwrap();
    let body: Vec<String> = lines.iter().map(|row| row.get(0)).collect();
    assert_file(&checkout().join("docs/reference.md"), &(body.join("\n") + "\n"));
}

#[test]
fn meta_json_has_the_version_of_the_workspace() {
    let template = std::fs::read_to_string(checkout().join("META.json.in")).unwrap();
    let expected = template.replace("@CARGO_VERSION@", VERSION);
    let meta: serde_json::Value = serde_json::from_str(&expected).expect("META.json is JSON");
    assert_eq!(meta["version"], meta["provides"]["pg_memento"]["version"]);
    assert_file(&checkout().join("META.json"), &expected);
}

#[test]
fn every_object_has_a_comment() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let silent: Vec<String> =
        client.query(include_str!("uncommented.sql"), &[]).unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn links_between_documents_lead_somewhere() {
    for path in documents()
        .into_iter()
        .chain(["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| checkout().join(name)))
    {
        let text = std::fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") {
                assert!(path.parent().unwrap().join(file).exists(), "{} links to {target}", path.display());
            }
        }
    }
}
