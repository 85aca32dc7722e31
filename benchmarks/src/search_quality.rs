//! How good searches are on labelled sets: each lane, and all of them fused, with the local model.
//!
//! Samples of the sets, because a model makes some twenty vectors a second; they are kept for the next run. nDCG@10 and Recall@10;
//! the difference to the best lane with a paired bootstrap over questions. The best lane is chosen after the fact, so the fusion is
//! held to more than anybody could choose.

mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use memento_core::metric;
use memento_tests::Cluster;
use memento_tests::cluster::Settings;
use memento_tests::server::Server;
use postgres::Client;
use serde_json::json;

use crate::data;
use crate::labelled::{self, Labelled};
use vectors::Vectors;

/// Which sets, and how many texts of them: all of those whose goal is a recall, which is easier among fewer.
const SETS: [(&str, usize); 9] = [
    ("loghub_exact_token", 800),
    ("nl2bash", 800),
    ("locomo_turn", 800),
    ("cosqa_dev", 800),
    ("cranfield", 800),
    ("scifact_train", 800),
    ("longmemeval_turn_pooled", 800),
    ("qmsum_val_turn", 1200),
    ("longmemeval_session_pooled", 940),
];
/// Unless MEMENTO_QUESTIONS says otherwise.
const QUESTIONS: usize = 150;
const RESAMPLES: u64 = 1000;

/// The ranking of memory_search().
const ITEMS: &str = "items";

/// What was measured of a question.
#[derive(Clone, Copy, Default)]
struct Score {
    ndcg: f64,
    recall: f64,
}

/// The score of each question, by lane.
type Scores = BTreeMap<String, Vec<Score>>;

/// Prints a line for each set.
pub fn run() {
    let wanted = std::env::var("MEMENTO_SETS").unwrap_or_default();
    let is_wanted = |set: &str| wanted.is_empty() || wanted.split(',').any(|one| one == set);
    let questions =
        std::env::var("MEMENTO_QUESTIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(QUESTIONS);
    let cluster = Cluster::start_with(Server::from_environment(), settings());
    let mut vectors = Vectors::open(&path("model"), &path("onnxruntime/libonnxruntime.so"));
    for (set, texts) in SETS.into_iter().filter(|(set, _)| is_wanted(set)) {
        let Some(labelled) = labelled::sample(set, questions, texts) else { continue };
        let scores = measure(&cluster, set, &labelled, &mut vectors);
        report(set, &labelled, &scores);
    }
}

fn path(name: &str) -> PathBuf {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.memento");
    home.join(name).canonicalize().unwrap_or_default()
}

/// With the model that scripts/setup has brought, for queries. The vectors of texts are brought from outside.
fn settings() -> Settings {
    Settings {
        lines: vec![
            format!("memento.model_dir = '{}'", path("model").display()),
            format!("memento.onnx_library = '{}'", path("onnxruntime/libonnxruntime.so").display()),
            "memento.lane_timeout = '60s'".into(),
            "memento.worker = off".into(),
        ],
        ..Settings::default()
    }
}

fn measure(cluster: &Cluster, set: &str, labelled: &Labelled, vectors: &mut Vectors) -> Scores {
    let mut client = cluster.connect(&cluster.database());
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    // Sessions of somebody with a model, turn by turn.
    let kind = if set.starts_with("longmemeval_session") { "chat" } else { "note" };
    for text in &labelled.texts {
        use_scope(&mut client, &text.scope);
        let statement =
            "select memento.remember($1, kind => $3, source_system => 'set', source_id => $2) ->> 'item_id'";
        ids.insert(&text.id, one(&mut client, statement, &[&text.text, &text.id, &kind]));
    }
    vectors.fill(&mut client);
    let counted = "do $$ begin while memento._maintain(10000) > 0 loop end loop; end $$";
    for statement in [counted, "vacuum analyze"] {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{error:?}"));
    }
    let mut scores = Scores::new();
    let mut lanes = String::new();
    for (place, question) in labelled.questions.iter().enumerate() {
        use_scope(&mut client, &question.scope);
        let relevant: Vec<&String> = question.relevant.iter().filter_map(|id| ids.get(id.as_str())).collect();
        let queryset = json!([{"query": question.text, "relevant": relevant}]).to_string();
        let rows = client
            .query("select lane, ndcg, recall from memento.eval($1::text::jsonb)", &[&queryset])
            .unwrap_or_else(|error| panic!("{error:?}"));
        for row in rows {
            let of_lane =
                scores.entry(row.get(0)).or_insert_with(|| vec![Score::default(); labelled.questions.len()]);
            of_lane[place] = Score { ndcg: row.get(1), recall: row.get(2) };
        }
        let of_items =
            scores.entry(ITEMS.into()).or_insert_with(|| vec![Score::default(); labelled.questions.len()]);
        of_items[place] = score_items(&mut client, &question.text, &relevant);
        if std::env::var_os("MEMENTO_LANES").is_some() {
            lanes += &format!("{}\n", lanes_of(&mut client, &question.text, &relevant));
        }
    }
    if let Some(directory) = std::env::var_os("MEMENTO_LANES").map(PathBuf::from) {
        std::fs::write(directory.join(format!("{set}.jsonl")), lanes)
            .unwrap_or_else(|error| panic!("{error}"));
    }
    scores
}

/// Of the ten items that memory_search() gives: a search has ten passages, and several may be of one item.
fn score_items(client: &mut Client, query: &str, relevant: &[&String]) -> Score {
    let statement = "select array(select r ->> 'item_id' from jsonb_array_elements(memento.memory_search($1, 10, false) -> 'results') r)";
    let row = client.query_one(statement, &[&query]).unwrap_or_else(|error| panic!("{error:?}"));
    let (found, relevant): (Vec<String>, BTreeSet<String>) =
        (row.get(0), relevant.iter().map(|id| (*id).clone()).collect());
    Score { ndcg: metric::ndcg(&found, &relevant, 10), recall: metric::recall(&found, &relevant, 10) }
}

/// What each lane has found for a query, to try other ways to fuse on.
fn lanes_of(client: &mut Client, query: &str, relevant: &[&String]) -> serde_json::Value {
    let rows = client
        .query(include_str!("search_quality/hits.sql"), &[&query])
        .unwrap_or_else(|error| panic!("{error:?}"));
    let hits: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| {
            let (item, chunk, lane): (String, i64, String) = (row.get(0), row.get(1), row.get(2));
            let (rank, score): (i32, Option<f64>) = (row.get(3), row.get(4));
            json!([lane, rank, score, chunk, item])
        })
        .collect();
    json!({"query": query, "relevant": relevant, "hits": hits})
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

fn report(set: &str, labelled: &Labelled, scores: &Scores) {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let ndcg = |scores: &[Score]| scores.iter().map(|score| score.ndcg).collect::<Vec<f64>>();
    let recall = |scores: &[Score]| scores.iter().map(|score| score.recall).collect::<Vec<f64>>();
    let shown: Vec<String> = scores
        .iter()
        .map(|(lane, scores)| format!("{lane} {:.3} / {:.3}", mean(&ndcg(scores)), mean(&recall(scores))))
        .collect();
    let best = scores
        .iter()
        .filter(|(lane, _)| !["fused", ITEMS].contains(&lane.as_str()))
        .max_by(|a, b| mean(&ndcg(a.1)).total_cmp(&mean(&ndcg(b.1))));
    let (Some((lane, best)), Some(fused)) = (best, scores.get("fused")) else { return };
    let differences: Vec<f64> = fused.iter().zip(best).map(|(a, b)| a.ndcg - b.ndcg).collect();
    let (low, high) = interval(&differences);
    println!(
        "{set} ({} texts, {} questions), nDCG@10 / Recall@10: {}; fused beside {lane}: {:+.3} ({low:+.3} to {high:+.3})",
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
