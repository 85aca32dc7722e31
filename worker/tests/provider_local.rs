//! Models in this process: tiny ones that the tests write themselves, and the real one where set-up has brought it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Also in functions that only tests call.

mod tiny_model;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memento_worker::provider::{
    self, Code, EmbedRequest, Embedded, Embedder, Kind, LocalSettings, Policy, ProfileSpec, ProviderError,
    Purpose,
};
use serde_json::{Value, json};
use tiny_model::{ModelDir, TABLE};

/// The library, or a note that the test was left out.
fn library() -> Option<PathBuf> {
    file_named_by("MEMENTO_TEST_ONNX_LIBRARY")
}

/// The path in a variable, if there is anything.
fn file_named_by(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.exists());
    if path.is_none() {
        println!("left out: {variable} names nothing; scripts/setup brings it, scripts/env names it");
    }
    path
}

fn policy(library: &Path, directory: &Path) -> Policy {
    let local = LocalSettings {
        library: Some(library.into()),
        model_dir: Some(directory.into()),
        reranker_dir: Some(directory.into()),
        threads: 1,
    };
    Policy { local, ..Policy::default() }
}

fn spec(dims: usize, config: Value) -> ProfileSpec {
    ProfileSpec { provider: "local".into(), model: "tiny".into(), dims, config }
}

fn open(
    library: &Path,
    directory: &Path,
    dims: usize,
    config: Value,
) -> Result<Arc<dyn Embedder>, ProviderError> {
    provider::embedder(&spec(dims, config), &policy(library, directory))
}

fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Embedded {
    let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
    embedder.embed(&EmbedRequest { texts: &texts, purpose: Purpose::Document, contextual: false }).unwrap()
}

/// The mean of the vectors of some words, of length 1.
fn mean_of(ids: &[usize]) -> Vec<f32> {
    unit((0..3).map(|at| ids.iter().map(|id| TABLE[*id][at]).sum()).collect())
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let norm = dot(&vector, &vector).sqrt();
    vector.into_iter().map(|number| number / norm).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn assert_near(got: &[f32], wanted: &[f32]) {
    let near = got.len() == wanted.len() && got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near, "{got:?} instead of {wanted:?}");
}

const CLS: usize = 1;
const SEP: usize = 2;
const UNKNOWN: usize = 3;
const RED: usize = 4;
const GREEN: usize = 5;

#[test]
fn the_vectors_of_the_tokens_are_averaged() {
    let Some(library) = library() else { return };
    for takes_types in [false, true] {
        let model = ModelDir::new(&format!("mean{takes_types}"), &tiny_model::encoder(takes_types));
        let embedder = open(&library, model.path(), 3, json!({})).unwrap();
        let six = "red Green red green red green";
        let embedded = embed(&*embedder, &["red", six, "", "unheard"]);
        assert_near(&embedded.vectors[0], &mean_of(&[CLS, RED, SEP]));
        // The tokenizer's own file would have cut it after four tokens.
        assert_near(&embedded.vectors[1], &mean_of(&[CLS, RED, GREEN, RED, GREEN, RED, GREEN, SEP]));
        assert_near(&embedded.vectors[2], &mean_of(&[CLS, SEP]));
        assert_near(&embedded.vectors[3], &mean_of(&[CLS, UNKNOWN, SEP]));
        assert_eq!(embedded.usage.tokens, Some(3 + 8 + 2 + 3));
    }
}

#[test]
fn long_texts_are_cut_at_the_models_limit() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("long", &tiny_model::encoder(false));
    let embedder = open(&library, model.path(), 3, json!({"max_tokens": 8})).unwrap();
    let text = "red ".repeat(500_000) + "green";
    let embedded = embed(&*embedder, &[&text]);
    assert_near(&embedded.vectors[0], &mean_of(&[CLS, RED, RED, RED, RED, RED, RED, SEP]));
    assert_eq!(embedded.usage.tokens, Some(8));
    let wide = "ä".repeat(1_000_000);
    assert_near(&embed(&*embedder, &[&wide]).vectors[0], &mean_of(&[CLS, UNKNOWN, SEP]));
}

#[test]
fn other_ways_to_one_vector() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("cls", &tiny_model::encoder(false));
    let embedder = open(&library, model.path(), 3, json!({"pooling": "cls"})).unwrap();
    assert_near(&embed(&*embedder, &["red"]).vectors[0], &mean_of(&[CLS]));
    let model = ModelDir::new("pools", &tiny_model::encoder_that_pools());
    let embedder = open(&library, model.path(), 3, json!({})).unwrap();
    assert_near(&embed(&*embedder, &["red green"]).vectors[0], &mean_of(&[CLS, RED, GREEN, SEP]));
    let prefixes = json!({"document_prefix": "green "});
    let model = ModelDir::new("prefix", &tiny_model::encoder(false));
    let embedder = open(&library, model.path(), 3, prefixes).unwrap();
    assert_near(&embed(&*embedder, &["red"]).vectors[0], &mean_of(&[CLS, GREEN, RED, SEP]));
}

#[test]
fn a_cross_encoder_scores_pairs() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("cross", &tiny_model::cross_encoder());
    let reranker = provider::reranker(&spec(0, json!({})), &policy(&library, model.path())).unwrap();
    let texts = ["blue", "red red", "green", ""].map(String::from);
    let reranked = reranker.rerank("red green red", &texts).unwrap();
    let sigmoid = |logit: f32| 1.0 / (1.0 + (-logit).exp());
    assert_near(&reranked.scores, &[sigmoid(0.0), sigmoid(3.0), sigmoid(-1.5), sigmoid(0.0)]);
    assert_eq!(reranked.usage.tokens, Some(7 + 8 + 7 + 6));
}

#[test]
fn a_wrong_model_is_an_error_with_a_hint() {
    let Some(library) = library() else { return };
    let good = tiny_model::encoder(false);
    let cases: [(&str, &[u8], usize, Value, Code); 8] = [
        ("garbage", b"this is no model", 3, json!({}), Code::ModelBroken),
        ("empty", b"", 3, json!({}), Code::ModelBroken),
        ("cut", &good[..good.len() / 2], 3, json!({}), Code::ModelBroken),
        ("inputs", &tiny_model::no_encoder(), 3, json!({}), Code::ModelBroken),
        ("dims", &good, 4, json!({}), Code::Dims),
        ("short", &tiny_model::encoder_of_16_tokens(), 3, json!({"max_tokens": 32}), Code::Config),
        ("pooling", &good, 3, json!({"pooling": "max"}), Code::Config),
        ("tokens", &good, 3, json!({"max_tokens": 100_000}), Code::Config),
    ];
    for (name, model, dims, config, code) in cases {
        let directory = ModelDir::new(name, model);
        let error = open(&library, directory.path(), dims, config).err().expect(name);
        assert_eq!((error.code, error.hint.is_some()), (code, true), "{name}: {error:?}");
    }
    let directory = ModelDir::new("labels", &good);
    let error = provider::reranker(&spec(0, json!({})), &policy(&library, directory.path())).err().unwrap();
    assert_eq!(error.code, Code::ModelBroken, "{error:?}");
}

#[test]
fn a_missing_file_is_an_error_with_a_hint() {
    let Some(library) = library() else { return };
    for missing in ["model.onnx", "tokenizer.json"] {
        let directory = ModelDir::new(&format!("without-{missing}"), &tiny_model::encoder(false));
        std::fs::remove_file(directory.path().join(missing)).unwrap();
        let error = open(&library, directory.path(), 3, json!({})).err().unwrap();
        assert_eq!((error.kind(), error.hint.is_some()), (Kind::NotReady, true), "{error:?}");
    }
    let directory = ModelDir::new("tokenizer", &tiny_model::encoder(false));
    std::fs::write(directory.path().join("tokenizer.json"), "{}").unwrap();
    assert_eq!(open(&library, directory.path(), 3, json!({})).err().unwrap().code, Code::ModelBroken);
    let nothing = Policy::default();
    assert_eq!(provider::embedder(&spec(3, json!({})), &nothing).err().unwrap().code, Code::ModelNotReady);
    assert_eq!(provider::reranker(&spec(3, json!({})), &nothing).err().unwrap().code, Code::ModelNotReady);
}

/// The model that set-up brings, or a note that the test was left out.
fn real_model() -> Option<Arc<dyn Embedder>> {
    let directory = file_named_by("MEMENTO_TEST_MODEL_DIR")?;
    Some(open(&library()?, &directory, 384, json!({})).unwrap())
}

#[test]
fn the_real_model_agrees_with_python() {
    let Some(embedder) = real_model() else { return };
    let golden: Vec<Value> = serde_json::from_str(include_str!("golden/all-minilm-l6-v2.json")).unwrap();
    assert_eq!(golden.len(), 5);
    for case in golden {
        let text = case["text"].as_str().unwrap();
        let wanted: Vec<f32> =
            case["vector"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect();
        let embedded = embed(&*embedder, &[text]);
        assert_eq!(embedded.usage.tokens, case["tokens"].as_u64(), "{text}");
        let cosine = dot(&embedded.vectors[0], &unit(wanted));
        assert!(cosine > 0.9999, "{cosine} for {text}");
    }
}

#[test]
fn the_real_model_finds_what_is_meant() {
    let Some(embedder) = real_model() else { return };
    let texts = [
        "Where do we keep our data?",
        "We decided to store all events in Postgres.",
        "The cat sleeps on the warm window sill.",
    ];
    let vectors = embed(&*embedder, &texts).vectors;
    let (near, far) = (dot(&vectors[0], &vectors[1]), dot(&vectors[0], &vectors[2]));
    assert!(near > far + 0.1, "{near} {far}");
    // The same in a batch and alone, to the last bit.
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(&embed(&*embedder, &[text]).vectors[0], vector);
    }
}

#[test]
fn threads_share_one_model() {
    let Some(library) = library() else { return };
    let model = ModelDir::new("threads", &tiny_model::encoder(false));
    let mut policy = policy(&library, model.path());
    for threads in [1, 2] {
        policy.local.threads = threads;
        let embedder = provider::embedder(&spec(3, json!({})), &policy).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let vectors = embed(&*embedder, &["red", "green"]).vectors;
                        assert_near(&vectors[0], &mean_of(&[CLS, RED, SEP]));
                        assert_near(&vectors[1], &mean_of(&[CLS, GREEN, SEP]));
                    }
                });
            }
        });
    }
}

#[test]
fn a_model_of_its_name_has_a_directory_of_its_own() {
    let Some(library) = library() else { return };
    let base = ModelDir::new("named", &tiny_model::encoder(false));
    for (model, at) in
        [("pools", &tiny_model::encoder_that_pools()), ("of/somebody", &tiny_model::encoder(true))]
    {
        let own = base.path().join(model);
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("model.onnx"), at).unwrap();
        std::fs::copy(base.path().join("tokenizer.json"), own.join("tokenizer.json")).unwrap();
    }
    let policy = policy(&library, base.path());
    let fingerprint = |model: &str| {
        let spec = ProfileSpec { model: model.into(), ..spec(3, json!({})) };
        provider::embedder(&spec, &policy).unwrap().fingerprint().unwrap()
    };
    let flat = fingerprint("tiny");
    assert_eq!(flat.len(), 64);
    assert_ne!(fingerprint("pools"), flat);
    assert_ne!(fingerprint("of/somebody"), flat);
    // Nobody leaves the directory, and other names have the model that is in it.
    let elsewhere = base.path().join("pools").display().to_string();
    for model in ["../named", elsewhere.as_str(), ".", "./pools", "pools/../pools"] {
        assert_eq!(fingerprint(model), flat, "{model}");
    }
}

#[test]
fn another_model_than_the_recorded_one_is_refused() {
    let Some(library) = library() else { return };
    let directory = ModelDir::new("recorded", &tiny_model::encoder(false));
    let fingerprint = open(&library, directory.path(), 3, json!({})).unwrap().fingerprint().unwrap();
    let recorded = json!({"fingerprint": fingerprint});
    assert!(open(&library, directory.path(), 3, recorded.clone()).is_ok());
    // Also another tokenizer: the same words would be others.
    let tokenizer = directory.path().join("tokenizer.json");
    let text = std::fs::read_to_string(&tokenizer).unwrap();
    std::fs::write(&tokenizer, text.replace("\"red\"", "\"rot\"")).unwrap();
    let error = open(&library, directory.path(), 3, recorded.clone()).err().unwrap();
    assert_eq!((error.code, error.kind(), error.hint.is_some()), (Code::ModelChanged, Kind::NotReady, true));
    std::fs::write(&tokenizer, text).unwrap();
    let other = ModelDir::new("other", &tiny_model::encoder(true));
    assert_eq!(open(&library, other.path(), 3, recorded).err().unwrap().code, Code::ModelChanged);
}

#[test]
fn what_a_profile_says_is_checked_without_the_model() {
    let nowhere = Policy::default();
    assert_eq!(provider::check_profile(&spec(3, json!({"max_tokens": 8, "hnsw": {}})), &nowhere), Ok(()));
    for config in [
        json!({"max_token": 8}),
        json!({"max_tokens": 1}),
        json!({"pooling": "max"}),
        json!({"base_url": "x"}),
    ] {
        let error = provider::check_profile(&spec(3, config), &nowhere).unwrap_err();
        assert_eq!((error.code, error.hint.is_some()), (Code::Config, true));
    }
}
