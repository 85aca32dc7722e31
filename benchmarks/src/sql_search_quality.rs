//! How good searches are on labelled sets: each lane, and all of them fused, with the local model.
//!
//! Samples of the sets, so that the model has done in minutes. nDCG@10; the difference to the best lane with a paired bootstrap
//! over questions. The best lane is chosen after the fact, so the fusion is held to more than anybody could choose.

use std::collections::BTreeMap;
use std::path::PathBuf;

use memento_tests::Cluster;
use memento_tests::cluster::Settings;
use memento_tests::server::Server;
use memento_tests::wait::eventually;
use postgres::Client;
use serde_json::json;

use crate::data;
use crate::labelled::{self, Labelled};

const SETS: [&str; 7] = [
    "loghub_exact_token",
    "nl2bash",
    "locomo_turn",
    "cosqa_dev",
    "cranfield",
    "scifact_train",
    "longmemeval_turn_pooled",
];
const QUESTIONS: usize = 150;
const TEXTS: usize = 800;
const RESAMPLES: u64 = 1000;

/// nDCG@10 of each question, by lane.
type Scores = BTreeMap<String, Vec<f64>>;

/// Prints a line for each set.
pub fn run() {
    let chosen: Vec<String> = match std::env::var("MEMENTO_SETS") {
        Ok(sets) => sets.split(',').map(str::to_owned).collect(),
        Err(_) => SETS.map(str::to_owned).into(),
    };
    let cluster = Cluster::start_with(Server::from_environment(), settings());
    for set in chosen {
        let Some(labelled) = labelled::sample(&set, QUESTIONS, TEXTS) else { continue };
        let scores = measure(&cluster, &labelled);
        report(&set, &labelled, &scores);
    }
}

/// The model that scripts/setup has brought.
fn settings() -> Settings {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.memento");
    let path = |name: &str| home.join(name).canonicalize().unwrap_or_default().display().to_string();
    Settings {
        lines: vec![
            format!("memento.model_dir = '{}'", path("model")),
            format!("memento.onnx_library = '{}'", path("onnxruntime/libonnxruntime.so")),
            "memento.lane_timeout = '60s'".into(),
        ],
        ..Settings::default()
    }
}

fn measure(cluster: &Cluster, labelled: &Labelled) -> Scores {
    let mut client = cluster.connect(&cluster.database());
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    for text in &labelled.texts {
        use_scope(&mut client, &text.scope);
        let statement = "select memento.remember($1, source_system => 'set', source_id => $2) ->> 'item_id'";
        ids.insert(&text.id, one(&mut client, statement, &[&text.text, &text.id]));
    }
    eventually_embedded(&mut client);
    let mut scores = Scores::new();
    for (place, question) in labelled.questions.iter().enumerate() {
        use_scope(&mut client, &question.scope);
        let relevant: Vec<&String> = question.relevant.iter().filter_map(|id| ids.get(id.as_str())).collect();
        let queryset = json!([{"query": question.text, "relevant": relevant}]).to_string();
        let rows = client
            .query("select lane, ndcg from memento.eval($1::text::jsonb)", &[&queryset])
            .unwrap_or_else(|error| panic!("{error:?}"));
        for row in rows {
            let of_lane = scores.entry(row.get(0)).or_insert_with(|| vec![0.0; labelled.questions.len()]);
            of_lane[place] = row.get(1);
        }
    }
    scores
}

/// Each conversation has a project, in which alone is searched.
fn use_scope(client: &mut Client, scope: &str) {
    if scope.is_empty() {
        return;
    }
    let known = "select count(*) > 0 from memento.project where name = $1";
    if !client.query_one(known, &[&scope]).is_ok_and(|row| row.get(0)) {
        client
            .execute("select memento.create_project($1)", &[&scope])
            .unwrap_or_else(|error| panic!("{error:?}"));
    }
    client.execute("select memento.use_project($1)", &[&scope]).unwrap_or_else(|error| panic!("{error:?}"));
}

fn one(client: &mut Client, statement: &str, arguments: &[&(dyn postgres::types::ToSql + Sync)]) -> String {
    client.query_one(statement, arguments).map(|row| row.get(0)).unwrap_or_else(|error| panic!("{error:?}"))
}

fn eventually_embedded(client: &mut Client) {
    let open = "select count(*)::text from memento.job where state in ('pending', 'running')";
    let mut left = String::new();
    // As long as there is progress.
    while one(client, open, &[]) != "0" {
        eventually("the queue gets shorter", || {
            let now = one(client, open, &[]);
            (now != left).then(|| left = now)
        });
    }
}

fn report(set: &str, labelled: &Labelled, scores: &Scores) {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let shown: Vec<String> =
        scores.iter().map(|(lane, values)| format!("{lane} {:.3}", mean(values))).collect();
    let best =
        scores.iter().filter(|(lane, _)| *lane != "fused").max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)));
    let (Some((lane, best)), Some(fused)) = (best, scores.get("fused")) else { return };
    let differences: Vec<f64> = fused.iter().zip(best).map(|(a, b)| a - b).collect();
    let (low, high) = interval(&differences);
    println!(
        "{set} ({} texts, {} questions): {}; fused beside {lane}: {:+.3} ({low:+.3} to {high:+.3})",
        labelled.texts.len(),
        labelled.questions.len(),
        shown.join(", "),
        mean(&differences)
    );
    data::tell(|| format!("{differences:?}"));
}

/// 95 % of the means of samples with replacement, by a generator that always gives the same.
fn interval(values: &[f64]) -> (f64, f64) {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % values.len()
    };
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..values.len()).map(|_| values[next()]).sum::<f64>() / values.len() as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    (means[means.len() * 25 / 1000], means[means.len() * 975 / 1000])
}
