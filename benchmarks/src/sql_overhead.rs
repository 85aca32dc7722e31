//! What a call by SQL costs over the core's function, on the same documents.

use std::hint::black_box;

use memento_core::chunk::{Budget, chunk_markdown};
use memento_core::{tech, token};
use memento_tests::Cluster;
use postgres::Client;

use crate::{compare, data};

/// How many of the documents: some seconds a round.
const DOCUMENTS: usize = 200;

/// Prints, for each function, how many times as long the call by SQL takes.
pub fn run() {
    let Some(mut documents) = data::markdown("chunking/k8s_docs") else { return };
    documents.truncate(DOCUMENTS);
    let bytes = documents.iter().map(String::len).sum();
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    load(&mut client, &documents);
    let mut compare = |call: &str, core: &dyn Fn(&str)| {
        let statement = format!("select count(*) from document, lateral {call}");
        println!("{call}");
        compare::interleave(
            || documents.iter().for_each(|text| core(text)),
            || {
                client.query_one(&statement, &[]).unwrap_or_else(|error| panic!("{statement}: {error}"));
            },
        )
        .report("by SQL", bytes);
    };
    compare("memento.chunk_markdown(content)", &|text| {
        chunk_markdown(text, Budget::default()).for_each(|chunk| {
            black_box(chunk);
        });
    });
    compare("memento.count_tokens(content) c where c > 0", &|text| {
        black_box(token::count(text));
    });
    compare("memento.tech_tokens(content) t where t is not null", &|text| {
        black_box(tech::tokens(text));
    });
    compare("memento.tech_token_spans(content)", &|text| {
        tech::scan(text).for_each(|token| {
            black_box(token.normal_form());
        });
    });
}

/// In main memory and without compression, so that nothing but the functions is measured.
fn load(client: &mut Client, documents: &[String]) {
    let run = |client: &mut Client, statement: &str| {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    };
    run(
        client,
        "set max_parallel_workers_per_gather = 0; create temp table document (content text storage external)",
    );
    for document in documents {
        client
            .execute("insert into document values ($1)", &[document])
            .unwrap_or_else(|error| panic!("insert: {error}"));
    }
    run(client, "analyze document");
}
