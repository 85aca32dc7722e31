//! pg_regress: golden output of plain SQL, as a user of psql sees it. One file for each area in
//! pg_memento/tests/pg_regress/sql; MEMENTO_UPDATE=1 writes the expected files.

use std::process::Command;

use memento_tests::{Cluster, checkout, updating};

#[test]
fn golden_output_is_as_expected() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let input = checkout().join("pg_memento/tests/pg_regress");
    let output = cluster.server.scratch.join(format!("regress-{}", std::process::id()));
    std::fs::create_dir_all(&output).unwrap();
    let mut tests: Vec<String> = std::fs::read_dir(input.join("sql"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    tests.sort();
    if updating() {
        // pg_regress stops at a test that has nothing to compare with.
        for test in &tests {
            std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(input.join(format!("expected/{test}.out")))
                .unwrap();
        }
    }

    let psql = which("psql");
    let mut command = Command::new("pg_regress");
    cluster.set_connection(&mut command);
    let result = command
        .arg("--use-existing")
        .arg(format!("--bindir={}", psql.parent().unwrap().display()))
        .arg(format!("--inputdir={}", input.display()))
        .arg(format!("--outputdir={}", output.display()))
        .arg(format!("--dbname={database}"))
        .args(&tests)
        .output()
        .expect("pg_regress runs");
    if updating() {
        for test in &tests {
            std::fs::copy(
                output.join(format!("results/{test}.out")),
                input.join(format!("expected/{test}.out")),
            )
            .unwrap();
        }
    } else {
        let differences = std::fs::read_to_string(output.join("regression.diffs")).unwrap_or_default();
        assert!(result.status.success(), "{}{differences}", String::from_utf8_lossy(&result.stdout));
    }
    std::fs::remove_dir_all(&output).unwrap();
}

fn which(program: &str) -> std::path::PathBuf {
    let path = std::env::var_os("PATH").expect("PATH");
    std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.exists())
        .expect("psql is in PATH")
}
