//! The local model that is not there, cannot be loaded, or does not answer: an error with a hint, and the server goes on.

use std::path::Path;

use memento_tests::eventually;
use memento_tests::failure::{assert_failure, failure};
use serde_json::json;

use super::scene::{
    activate, cluster, embed, library, local_model, model_host, note, postmaster, signal, without_preload,
};
use crate::tiny_model::{self, ModelDir};

#[test]
fn what_is_missing_is_an_error_with_a_hint() {
    let Some(library) = library() else { return };
    let good = ModelDir::new("missing", &tiny_model::encoder(false));
    let broken = ModelDir::new("not-onnx", b"no model");
    let without_tokenizer = ModelDir::new("no-tokenizer", &tiny_model::encoder(false));
    std::fs::remove_file(without_tokenizer.path().join("tokenizer.json")).unwrap();
    let cases: [(Vec<String>, &str, &str); 6] = [
        (vec![], "MODEL_NOT_READY", "cannot be reached"),
        (
            local_model("/nowhere/libonnxruntime.so", good.path()),
            "MODEL_BROKEN",
            "/nowhere/libonnxruntime.so",
        ),
        (local_model("/etc/hostname", good.path()), "MODEL_BROKEN", "/etc/hostname"),
        (local_model(&library, Path::new("/nowhere")), "MODEL_BROKEN", "tokenizer.json cannot be loaded"),
        (local_model(&library, broken.path()), "MODEL_BROKEN", "model.onnx cannot be loaded"),
        (local_model(&library, without_tokenizer.path()), "MODEL_BROKEN", "tokenizer.json cannot be loaded"),
    ];
    let cluster = cluster(&[]);
    let process = postmaster(&cluster);
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.remember('the ledger room')").unwrap();
    activate(&mut client, "tiny", "local", "tiny", 3, &json!({}));
    for (lines, code, message) in cases {
        cluster.append_settings(&lines);
        client.batch_execute("select pg_reload_conf()").unwrap();
        eventually(message, || {
            failure(embed(&mut client, &["red"], "query")).message().contains(message).then_some(())
        });
        let error = assert_failure(embed(&mut client, &["red"], "query"), "55000", code);
        assert!(error.message().len() < 400, "{error:?}");
        let rows = client.query("select excerpt from memento.search('ledger')", &[]).unwrap();
        assert_eq!(rows.len(), 1, "{message}: the other lanes answer");
    }
    assert_eq!(postmaster(&cluster), process);
    // Once it is there, it is used.
    cluster.append_settings(&local_model(&library, good.path()));
    client.batch_execute("select pg_reload_conf()").unwrap();
    eventually("the model is served", || embed(&mut client, &["red"], "query").ok());
}

#[test]
fn without_preload_the_hint_says_what_is_missing() {
    let cluster = without_preload(&[]);
    let mut client = cluster.connect(&cluster.database());
    let error = assert_failure(embed(&mut client, &["red"], "query"), "55000", "MODEL_NOT_READY");
    assert!(error.hint().unwrap().contains("shared_preload_libraries"), "{error:?}");
}

/// The process that holds the model is stopped in the middle, as a machine that swaps would do.
#[test]
fn a_model_that_hangs_can_be_cancelled() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("hangs", &tiny_model::encoder(false));
    let cluster = cluster(&local_model(&library, model.path()));
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    activate(&mut client, "tiny", "local", "tiny", 3, &json!({}));
    client.batch_execute("select memento.remember('the red ledger')").unwrap();
    eventually("the model is served", || embed(&mut client, &["red"], "query").ok());
    client.batch_execute("select memento.wait_until_idle('60 s')").unwrap();
    let host = model_host(&cluster);
    signal(host, "-STOP");
    client.batch_execute("set statement_timeout = '300ms'").unwrap();
    assert_eq!(failure(embed(&mut client, &["red"], "query")).code().code(), "57014");
    client.batch_execute("reset statement_timeout").unwrap();

    let mut waiting = cluster.connect(&database);
    let pid: i32 = waiting.query_one("select pg_backend_pid()", &[]).unwrap().get(0);
    let asking = std::thread::spawn(move || failure(embed(&mut waiting, &["red"], "query")));
    eventually("it waits", || {
        client
            .query_one(
                "select count(*) = 1 and bool_and(pg_cancel_backend(pid)) from pg_stat_activity
                  where pid = $1 and state = 'active' and query like '%memento.embed%'",
                &[&pid],
            )
            .unwrap()
            .get::<_, Option<bool>>(0)
            .filter(|cancelled| *cancelled)
    });
    assert_eq!(asking.join().unwrap().code().code(), "57014");

    // A search gives the lane up and answers without it.
    client.batch_execute("set memento.lane_timeout = '300ms'").unwrap();
    assert_eq!(client.query("select * from memento.search('ledger')", &[]).unwrap().len(), 1);
    let said = note(&mut client, "dense");
    assert_eq!(said["ran"], false, "{said}");
    signal(host, "-CONT");
    eventually("it answers again", || (note(&mut client, "dense")["ran"] == true).then_some(()));
    assert_eq!(model_host(&cluster), host);
}

/// A model host that dies is started again; nobody else notices.
#[test]
fn a_model_host_that_ends_comes_back() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("ends", &tiny_model::encoder(false));
    let cluster = cluster(&local_model(&library, model.path()));
    let mut client = cluster.connect(&cluster.database());
    activate(&mut client, "tiny", "local", "tiny", 3, &json!({}));
    eventually("the model is served", || embed(&mut client, &["red"], "query").ok());
    let process = postmaster(&cluster);
    signal(model_host(&cluster), "-TERM");
    eventually("the model is served again", || embed(&mut client, &["red"], "query").ok());
    assert_eq!(postmaster(&cluster), process);
}
