//! What a profile says about the local model holds wherever the model runs, and another model is not taken for it.

use memento_tests::external::ExternalWorker;
use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, eventually};
use postgres::Client;
use serde_json::{Value, json};

use super::scene::{
    BLUE, CLS, GREEN, RED, SEP, activate, assert_near, cluster, embed, library, local_model, number, upsert,
    without_preload,
};
use crate::tiny_model::{self, ModelDir};

/// The only vector of a profile.
fn stored(client: &mut Client, profile: &str) -> Option<Vec<f32>> {
    client
        .query_opt(
            "select e.embedding::real[] from memento.chunk_embedding e join memento.embedding_profile p using (profile_id)
              where p.name = $1",
            &[&profile],
        )
        .unwrap()
        .map(|row| row.get(0))
}

fn config() -> Value {
    json!({"max_tokens": 8, "pooling": "mean", "document_prefix": "green ", "query_prefix": "blue "})
}

/// Cut after 8 tokens, the prefix among them.
fn of_document() -> Vec<f32> {
    mean(&[CLS, GREEN, RED, RED, RED, RED, RED, SEP])
}

fn mean(ids: &[usize]) -> Vec<f32> {
    super::scene::mean_of(ids)
}

const TEXT: &str = "red red red red red red red red red red";

/// Over the socket, by a session that drains, and by a worker on another machine: the same vectors.
#[test]
fn a_profile_means_the_same_to_every_worker() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("config", &tiny_model::encoder(false));
    let lines = local_model(&library, model.path());
    let with_preload = cluster(&lines);
    let mut client = with_preload.connect(&with_preload.database());
    activate(&mut client, "tiny", "local", "tiny", 3, &config());
    client.execute("select memento.remember($1)", &[&TEXT]).unwrap();
    let vector = eventually("the background worker stores it", || stored(&mut client, "tiny"));
    assert_near(&vector, &of_document());
    assert_near(&embed(&mut client, &[TEXT], "document").unwrap()[0], &of_document());
    assert_near(&embed(&mut client, &["red"], "query").unwrap()[0], &mean(&[CLS, BLUE, RED, SEP]));

    let without = without_preload(&lines);
    let mut client = without.connect(&without.database());
    activate(&mut client, "tiny", "local", "tiny", 3, &config());
    client.execute("select memento.remember($1)", &[&TEXT]).unwrap();
    client.batch_execute("call memento.drain()").unwrap();
    assert_near(&stored(&mut client, "tiny").unwrap(), &of_document());

    let database = without.database();
    let mut client = without.connect(&database);
    activate(&mut client, "tiny", "local", "tiny", 3, &config());
    client.execute("select memento.remember($1)", &[&TEXT]).unwrap();
    let directory = model.path().display().to_string();
    let _worker =
        ExternalWorker::start(&without, &database, &["--model-dir", &directory, "--onnx-library", &library]);
    let vector = eventually("memento-worker stores it", || stored(&mut client, "tiny"));
    assert_near(&vector, &of_document());
}

#[test]
fn what_decides_about_vectors_is_checked_and_stays() {
    let cluster = cluster(&["memento.worker = off".to_owned()]);
    let mut client = cluster.connect(&cluster.database());
    for wrong in [
        json!({"max_token": 8}),
        json!({"max_tokens": 1}),
        json!({"pooling": "max"}),
        json!({"base_url": "x"}),
    ] {
        assert_failure(upsert(&mut client, "tiny", "local", "tiny", 3, &wrong), "22023", "PROVIDER_CONFIG");
    }
    upsert(&mut client, "tiny", "local", "tiny", 3, &config()).unwrap();
    let mut other = config();
    other["query_prefix"] = json!("grey ");
    upsert(&mut client, "tiny", "local", "tiny", 3, &other).unwrap();
    for key in ["document_prefix", "pooling"] {
        let mut other = config();
        other.as_object_mut().unwrap().remove(key);
        assert_failure(upsert(&mut client, "tiny", "local", "tiny", 3, &other), "55000", "PROFILE_IMMUTABLE");
    }
    // What was recorded stays, and cannot be given otherwise.
    client.batch_execute("select memento._bind_model(profile_id, 'abc') from memento.embedding_profile where name = 'tiny'").unwrap();
    upsert(&mut client, "tiny", "local", "tiny", 3, &config()).unwrap();
    let recorded: String = client
        .query_one("select config ->> 'fingerprint' from memento.embedding_profile where name = 'tiny'", &[])
        .unwrap()
        .get(0);
    assert_eq!(recorded, "abc");
    let mut other = config();
    other["fingerprint"] = json!("xyz");
    assert_failure(upsert(&mut client, "tiny", "local", "tiny", 3, &other), "55000", "PROFILE_IMMUTABLE");
    assert_failure(
        client.batch_execute("select memento._bind_model(profile_id, 'xyz') from memento.embedding_profile where name = 'tiny'"),
        "55000",
        "MODEL_CHANGED",
    );
}

/// A directory with two models, and the texts that are embedded.
fn scene_of_two(name: &str, library: &str) -> (ModelDir, Cluster, Client) {
    let base = ModelDir::new(name, b"not used");
    add(&base, "first", &tiny_model::encoder(false));
    add(&base, "second", &tiny_model::encoder_that_pools());
    std::fs::remove_file(base.path().join("model.onnx")).unwrap();
    let cluster = cluster(&local_model(library, base.path()));
    let mut client = cluster.connect(&cluster.database());
    activate(&mut client, "first", "local", "first", 3, &json!({"pooling": "cls"}));
    client.execute("select memento.remember('red green')", &[]).unwrap();
    (base, cluster, client)
}

fn add(base: &ModelDir, model: &str, onnx: &[u8]) {
    let own = base.path().join(model);
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("model.onnx"), onnx).unwrap();
    std::fs::copy(base.path().join("tokenizer.json"), own.join("tokenizer.json")).unwrap();
}

#[test]
fn a_project_changes_from_one_local_model_to_another_and_back() {
    let Some(library) = library() else { return };
    let (_base, _cluster, mut client) = scene_of_two("two", &library);
    let first = eventually("the first is filled", || stored(&mut client, "first"));
    assert_near(&first, &mean(&[CLS]));
    upsert(&mut client, "second", "local", "second", 3, &json!({})).unwrap();
    client.batch_execute("select memento.embedding_profiles_fill('second')").unwrap();
    let second = eventually("the second is filled", || stored(&mut client, "second"));
    assert_near(&second, &mean(&[CLS, RED, GREEN, SEP]));
    for (name, vector) in [("second", mean(&[CLS, GREEN, SEP])), ("first", mean(&[CLS]))] {
        client.execute("select memento.embedding_profiles_activate($1)", &[&name]).unwrap();
        assert_near(&embed(&mut client, &["green"], "query").unwrap()[0], &vector);
        assert_eq!(client.query("select * from memento.search('green')", &[]).unwrap().len(), 1);
    }
    let fingerprints =
        number(&mut client, "select count(distinct config ->> 'fingerprint') from memento.embedding_profile");
    assert_eq!(fingerprints, 2);
}

#[test]
fn another_model_in_its_place_is_not_taken_for_it() {
    let Some(library) = library() else { return };
    let (_base, cluster, mut client) = scene_of_two("before", &library);
    eventually("the first is filled", || stored(&mut client, "first"));
    upsert(&mut client, "second", "local", "second", 3, &json!({})).unwrap();
    client.batch_execute("select memento.embedding_profiles_fill('second')").unwrap();
    eventually("the second is filled", || stored(&mut client, "second"));
    // Somebody names another directory, in which the first model is another one.
    let other = ModelDir::new("after", b"not used");
    add(&other, "first", &tiny_model::encoder(true));
    add(&other, "second", &tiny_model::encoder_that_pools());
    cluster.append_settings(&local_model(&library, other.path()));
    client.batch_execute("select pg_reload_conf()").unwrap();
    let error = eventually("the other model is refused", || embed(&mut client, &["red"], "query").err());
    let _ = eventually("by the process that has the new settings", || {
        let refused = embed(&mut client, &["red"], "query").err()?;
        (refused.as_db_error()?.detail() == Some("code=MODEL_CHANGED")).then_some(refused)
    });
    drop(error);
    assert_failure(embed(&mut client, &["red"], "query"), "55000", "MODEL_CHANGED");
    // Its jobs wait, those of the other profile are done.
    client.execute("select memento.remember('blue')", &[]).unwrap();
    eventually("the second goes on", || {
        (number(
            &mut client,
            "select count(*) from memento.chunk_embedding e join memento.embedding_profile p using (profile_id) where p.name = 'second'",
        ) == 2)
            .then_some(())
    });
    eventually("the first waits", || {
        let rows = client
            .query("select detail from memento.job_blockers where blocker = 'endpoint_paused'", &[])
            .unwrap();
        rows.first().filter(|row| row.get::<_, &str>(0).contains("MODEL_CHANGED")).map(drop)
    });
    assert!(stored(&mut client, "first").is_some(), "nothing was stored beside it");
}
