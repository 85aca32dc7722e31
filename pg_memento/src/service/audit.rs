//! The quality of what is remembered.

use std::collections::BTreeMap;

use memento_core::access::AccessLevel;
use memento_core::secret;
use memento_core::similarity::{Sketch, similar_pairs};
use pgrx::Uuid;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::secret::Secrets;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::spi;

/// The most items whose contents are read, and findings of one problem.
pub const MAX_ITEMS: i32 = 1_000_000;
pub const MAX_FINDINGS: i32 = 1000;

/// How many contents are in memory at a time.
const BATCH: i32 = 200;

/// 1 MB: the largest content that is chunked at once, by default.
const OVERSIZED_BYTES: i32 = 1024 * 1024;

/// How much two texts have in common that say nearly the same.
const NEARLY_THE_SAME: f64 = 0.8;

const PROBLEMS: [&str; 8] = [
    "duplicates",
    "near_duplicates",
    "never_recalled",
    "orphaned",
    "oversized",
    "secrets",
    "unchunked",
    "unembedded",
];

/// Without any trace of retrievals all items would be findings.
const NOTHING_RECALLED: &str =
    "no retrieval has left a trace: use retrieve(), or set memento.record_events for searches";

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("max_items must be between 1 and {MAX_ITEMS}, not {0}")]
    BadItems(i32),
    #[error("max_findings must be between 1 and {MAX_FINDINGS}, not {0}")]
    BadFindings(i32),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(AuditError);

impl Failure for AuditError {
    passed_on!(Access, Statement);

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadItems(_) => Some("for example: max_items => 10000".into()),
            Self::BadFindings(_) => Some("for example: max_findings => 100".into()),
            _ => None,
        }
    }
}

/// A problem: how often it was found, and some of the findings.
#[derive(Default)]
struct Problem {
    count: i64,
    findings: Vec<Value>,
}

impl Problem {
    fn add(&mut self, finding: Value, most: usize) {
        self.count += 1;
        if self.findings.len() < most {
            self.findings.push(finding);
        }
    }
}

/// What may be wrong in the session's project. Contents are read of the newest items only, as many as are asked for.
pub fn report(max_items: i32, max_findings: i32) -> Result<Jsonb, AuditError> {
    if !(1..=MAX_ITEMS).contains(&max_items) {
        return Err(AuditError::BadItems(max_items));
    }
    if !(1..=MAX_FINDINGS).contains(&max_findings) {
        return Err(AuditError::BadFindings(max_findings));
    }
    let project = authorize_current(AccessLevel::Read)?;
    let mut problems: BTreeMap<&str, Problem> =
        PROBLEMS.into_iter().map(|name| (name, Problem::default())).collect();
    let mut not_checked = json!({});
    for found in as_owner(|| spi::audit::findings(project, max_findings, OVERSIZED_BYTES))? {
        if let Some(problem) = problems.get_mut(found.problem.as_str()) {
            problem.count = found.count;
            problem.findings.extend(found.detail.and_then(|detail| detail.parse().ok()));
        } else if found.count == 0 {
            not_checked["never_recalled"] = json!(NOTHING_RECALLED);
        }
    }
    let read = read_contents(project, max_items, max_findings as usize)?;
    problems.insert("secrets", read.secrets);
    problems.insert("near_duplicates", near_duplicates(&read.texts, max_findings as usize));
    let problems: BTreeMap<_, _> = problems
        .into_iter()
        .map(|(name, problem)| (name, json!({"count": problem.count, "findings": problem.findings})))
        .collect();
    Ok(json!({
        "problems": problems,
        "contents_read": read.count,
        "all_contents_read": read.is_all,
        "not_checked": not_checked,
    })
    .into())
}

/// What was seen in contents.
struct Read {
    count: i32,
    is_all: bool,
    secrets: Problem,
    texts: Vec<Text>,
}

/// A content, as far as it is compared with others.
struct Text {
    item: Uuid,
    title: Option<String>,
    hash: Vec<u8>,
    sketch: Sketch,
}

fn read_contents(project: Uuid, max_items: i32, most: usize) -> Result<Read, AuditError> {
    let mut read = Read { count: 0, is_all: false, secrets: Problem::default(), texts: Vec::new() };
    let mut after = None;
    while read.count < max_items {
        let batch = BATCH.min(max_items - read.count);
        let contents = as_owner(|| spi::audit::contents(project, after, batch, OVERSIZED_BYTES))?;
        let Some(last) = contents.last() else {
            read.is_all = true;
            break;
        };
        after = Some((last.created_at, last.item));
        for latest in contents {
            check_for_interrupts();
            read.count += 1;
            let mut kinds = Secrets::new();
            for secret in secret::scan(&latest.content) {
                *kinds.entry(secret.kind.as_str()).or_default() += 1;
            }
            if !kinds.is_empty() {
                let item = latest.item.to_string();
                read.secrets.add(json!({"item_id": item, "title": latest.title, "secrets": kinds}), most);
            }
            if let Some(sketch) = Sketch::of(&latest.content) {
                let (item, title, hash) = (latest.item, latest.title, latest.hash);
                read.texts.push(Text { item, title, hash, sketch });
            }
        }
    }
    Ok(read)
}

fn near_duplicates(texts: &[Text], most: usize) -> Problem {
    let sketches: Vec<Sketch> = texts.iter().map(|text| text.sketch.clone()).collect();
    let mut problem = Problem::default();
    for pair in similar_pairs(&sketches, NEARLY_THE_SAME) {
        let (newer, older) = (&texts[pair.first], &texts[pair.second]);
        // Those that are the same to the letter are duplicates.
        if newer.hash != older.hash {
            let items = [older.item.to_string(), newer.item.to_string()];
            problem
                .add(json!({"item_ids": items, "title": older.title, "similarity": pair.similarity}), most);
        }
    }
    problem
}
