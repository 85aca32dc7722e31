//! The local model inside the server: vectors come by themselves, from one copy of it.

use memento_tests::eventually;
use memento_tests::failure::assert_failure;

use super::scene::{assert_near, cluster, embed, library, local_model, note, number, processes, real_model};

/// What is remembered has its vectors without anybody doing anything.
#[test]
fn remembered_texts_get_vectors_by_the_real_model() {
    let (Some(library), Some(model)) = (library(), real_model()) else { return };
    let cluster = cluster(&local_model(&library, &model));
    let mut client = cluster.connect(&cluster.database());
    let long =
        format!("The ledger room has shelves. {}", "We decided to keep every ledger in it. ".repeat(200));
    for text in ["cat", "The cat sleeps on the warm window sill.", "Events are stored in Postgres.", &long] {
        client.execute("select memento.remember($1)", &[&text]).unwrap();
    }
    eventually("all chunks have vectors", || {
        (number(&mut client, "select count(*) from memento.chunk") > 4
            && number(&mut client, "select count(*) from memento.chunk_embedding")
                == number(&mut client, "select count(*) from memento.chunk"))
        .then_some(())
    });
    // The same as memento.embed() gives, over the same socket.
    let rows = client
        .query(
            "select c.chunk_text, e.embedding::real[] from memento.chunk c join memento.chunk_embedding e using (project_id, chunk_id)",
            &[],
        )
        .unwrap();
    for row in &rows {
        let (text, stored): (&str, Vec<f32>) = (row.get(0), row.get(1));
        assert_near(&stored, &embed(&mut client, &[text], "document").unwrap()[0]);
        assert!((stored.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-4);
    }
    let found = client.query_one("select excerpt from memento.search('a pet is asleep', 1)", &[]).unwrap();
    assert!(found.get::<_, &str>(0).contains("cat"), "{found:?}");
    assert_eq!(note(&mut client, "dense")["ran"], true);
    // What made them is known from now on, and no call of an endpoint was paid for by the search.
    let recorded: String = client
        .query_one("select config ->> 'fingerprint' from memento.embedding_profile where name = 'local'", &[])
        .unwrap()
        .get(0);
    assert_eq!(recorded.len(), 64);
    assert_eq!(number(&mut client, "select count(*) from memento.usage_ledger where job_id is null"), 0);
    assert!(
        number(&mut client, "select count(*) from memento.usage_ledger where outcome = 'ok' and tokens > 0")
            > 0
    );
}

#[test]
fn one_process_holds_the_model_for_all() {
    let Some(library) = library() else { return };
    let model = crate::tiny_model::ModelDir::new("one-copy", &crate::tiny_model::encoder(false));
    let cluster = cluster(&local_model(&library, model.path()));
    let database = cluster.database();
    let mut clients: Vec<_> = (0..8).map(|_| cluster.connect(&database)).collect();
    super::scene::activate(&mut clients[0], "tiny", "local", "tiny", 3, &serde_json::json!({}));
    clients[0].batch_execute("select memento.remember('red green')").unwrap();
    for client in &mut clients {
        eventually("the model is served", || embed(client, &["red"], "query").ok());
    }
    let with_library: Vec<String> = processes(&cluster)
        .into_iter()
        .filter(|(pid, _)| {
            std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap().contains("libonnxruntime")
        })
        .map(|(_, name)| name)
        .collect();
    assert_eq!(with_library.len(), 1, "{with_library:?}");
    assert!(with_library[0].contains("model host"), "{with_library:?}");
}

#[test]
fn long_empty_and_mixed_inputs() {
    let Some(library) = library() else { return };
    let model = crate::tiny_model::ModelDir::new("inputs", &crate::tiny_model::encoder(false));
    let cluster = cluster(&local_model(&library, model.path()));
    let mut client = cluster.connect(&cluster.database());
    super::scene::activate(&mut client, "tiny", "local", "tiny", 3, &serde_json::json!({}));
    eventually("the model is served", || embed(&mut client, &["red"], "query").ok());
    let long = "red ".repeat(300_000);
    let texts = ["red", &long, "green red", "\u{e4}\u{1f600}", "."];
    let together = embed(&mut client, &texts, "document").unwrap();
    assert_eq!(together.len(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&embed(&mut client, &[text], "document").unwrap()[0], vector, "the same alone");
    }
    assert_eq!(embed(&mut client, &[], "document").unwrap().len(), 0);
    for blank in ["", "  \n"] {
        assert_failure(embed(&mut client, &["red", blank], "document"), "22023", "VALIDATION_ERROR");
    }
    assert_failure(embed(&mut client, &vec!["red"; 257], "document"), "54000", "VALIDATION_ERROR");
    // More bytes than the socket takes at once.
    let large = "red ".repeat(700_000);
    assert_failure(embed(&mut client, &[large.as_str(); 4], "document"), "22023", "PROVIDER_INPUT_REFUSED");
    assert_eq!(embed(&mut client, &["red"], "document").unwrap().len(), 1, "the server is still there");
}
