//! Evidence for a query: the best passages within a budget, with where they come from and why they are there.

mod pack;
mod record;

pub use record::explain;

use memento_core::access::AccessLevel;
use memento_core::query::Intent;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use self::pack::Budget;
use super::access::{AccessError, as_owner, authorize_current};
use super::lineage::{found_items, record as record_event};
use super::search::gather::{Gathered, gather};
use super::search::{self, SearchError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::can_write;
use crate::spi;

/// The largest budgets.
const MOST_ITEMS: i32 = 100;
const MOST_CHARS: i32 = 1_000_000;

/// How many candidates there are for each place in a pack: some are too long or too many of one item.
const CANDIDATES: i32 = 4;

/// Why there is no pack.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    #[error("{name} must be between 1 and {most}, not {given}")]
    BadBudget { name: &'static str, most: i32, given: i32 },
    #[error("return_style must be evidence_pack_json or ids_only")]
    UnknownStyle,
    #[error("intent must be one of {}", Intent::WORDS.join(", "))]
    UnknownIntent,
    #[error("\"{0}\" is no evidence of this project")]
    NoEvidence(String),
    #[error("this project has no pack {0}")]
    NoPack(Uuid),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(RetrieveError);

impl Failure for RetrieveError {
    passed_on!(Search, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoEvidence(_) | Self::NoPack(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoEvidence(_) => "EVIDENCE_NOT_FOUND",
            Self::NoPack(_) => "PACK_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadBudget { .. } => Some("leave it out for the default".into()),
            Self::UnknownStyle => Some("leave it out for the whole pack".into()),
            Self::UnknownIntent => Some("leave it out: the query tells".into()),
            Self::NoEvidence(_) => {
                Some("give an evidence_id of a pack, such as Q-17; its memory may have been forgotten".into())
            }
            Self::NoPack(_) => Some(
                "give the query_id of a pack of memento.retrieve() that was stored; forget() erases packs"
                    .into(),
            ),
            _ => None,
        }
    }
}

/// What is asked for.
pub struct Request<'a> {
    pub query: &'a str,
    pub max_items: i32,
    pub max_chars: i32,
    pub max_tokens: Option<i32>,
    pub max_per_item: i32,
    pub filters: Jsonb,
    pub as_of: Option<TimestampWithTimeZone>,
    pub intent: Option<&'a str>,
    pub return_style: &'a str,
    pub debug: bool,
    pub store: bool,
}

impl Request<'_> {
    fn check(&self) -> Result<(), RetrieveError> {
        let bounds = [
            ("max_evidence_items", MOST_ITEMS, self.max_items),
            ("max_total_chars", MOST_CHARS, self.max_chars),
            ("max_total_tokens", MOST_CHARS, self.max_tokens.unwrap_or(1)),
            ("max_per_item", MOST_ITEMS, self.max_per_item),
        ];
        for (name, most, given) in bounds {
            if !(1..=most).contains(&given) {
                return Err(RetrieveError::BadBudget { name, most, given });
            }
        }
        if !["evidence_pack_json", "ids_only"].contains(&self.return_style) {
            return Err(RetrieveError::UnknownStyle);
        }
        if self.intent.is_some_and(|intent| !Intent::WORDS.contains(&intent)) {
            return Err(RetrieveError::UnknownIntent);
        }
        Ok(())
    }

    fn budget(&self) -> Budget {
        let size = |number: i32| usize::try_from(number).unwrap_or(0);
        Budget {
            items: size(self.max_items),
            chars: size(self.max_chars),
            tokens: self.max_tokens.map(size),
            per_item: size(self.max_per_item),
        }
    }
}

/// The evidence pack for a query.
pub fn retrieve(request: &Request) -> Result<Value, RetrieveError> {
    request.check()?;
    let limit = (request.max_items * CANDIDATES).min(search::MAX_RESULTS);
    let Some(scope) = search::scope(limit, &request.filters, request.as_of)? else {
        return Ok(pack::empty(request, "the filters match nothing"));
    };
    let caller = crate::ffi::identity::current_role();
    let (evidence, query_id, answer) = as_owner(|| {
        let found = gather(&scope, request.query, limit)?;
        let evidence = pack::choose(scope.project, request, &found)?;
        let unstored = match (request.store, can_write()) {
            (false, _) => Some("not asked for"),
            (true, false) => Some("the transaction is read-only"),
            (true, true) => None,
        };
        let query_id = match unstored {
            None => Some(record::store(scope.project, caller, request, &found, &evidence)?),
            Some(_) => None,
        };
        let events = pack::events(scope.project, request, &evidence)?;
        let answer = answer(request, &found, &evidence, &events, (query_id, unstored));
        Ok((evidence, query_id, answer))
    })?;
    record_event("retrieve", || event_data(request.query, &evidence, query_id))?;
    Ok(answer)
}

/// What the event of a retrieval says: what was asked, the pack, and the memories in it.
fn event_data(query: &str, evidence: &[pack::Evidence], query_id: Option<Uuid>) -> Value {
    let items = found_items(evidence.iter().map(|one| one.passage.item_id));
    let ids: Vec<String> = evidence.iter().map(pack::Evidence::evidence_id).collect();
    json!({"query": query, "pack_id": query_id.map(|id| id.to_string()), "item_ids": items, "evidence_ids": ids})
}

fn answer(
    request: &Request,
    found: &Gathered,
    evidence: &[pack::Evidence],
    events: &[Value],
    (query_id, unstored): (Option<Uuid>, Option<&str>),
) -> Value {
    let query_id = query_id.map(|id| id.to_string());
    if request.return_style == "ids_only" {
        let ids: Vec<String> = evidence.iter().map(pack::Evidence::retrieved_id).collect();
        return json!({"query_id": query_id, "retrieved_ids": ids});
    }
    let (artifacts, quotes): (Vec<_>, Vec<_>) = evidence.iter().partition(|one| one.is_artifact());
    let shown = |evidence: Vec<&pack::Evidence>| -> Vec<Value> {
        evidence.into_iter().map(|one| one.shown(request.debug)).collect()
    };
    json!({
        "query_id": query_id,
        "intent": request.intent.unwrap_or(found.analysis.intent.as_str()),
        "budget": {
            "max_evidence_items": request.max_items,
            "max_total_chars": request.max_chars,
            "max_total_tokens": request.max_tokens,
        },
        "artifacts": shown(artifacts),
        "quotes": shown(quotes),
        "events": events,
        "notes": {
            "retrieval": pack::notes(found),
            "stored": unstored.is_none(),
            "not_stored_because": unstored,
        },
    })
}

/// More of the text around a piece of evidence, at most `max_chars`.
pub fn expand(evidence_id: &str, max_chars: i32) -> Result<Jsonb, RetrieveError> {
    if !(1..=MOST_CHARS).contains(&max_chars) {
        return Err(RetrieveError::BadBudget { name: "max_chars", most: MOST_CHARS, given: max_chars });
    }
    let project = authorize_current(AccessLevel::Read)?;
    let missing = || RetrieveError::NoEvidence(evidence_id.chars().take(40).collect());
    let chunk = match evidence_id.strip_prefix("E-") {
        Some(event) => {
            let event = uuid::Uuid::try_parse(event).map_err(|_| missing())?;
            as_owner(|| spi::event::chunk(project, Uuid::from_bytes(*event.as_bytes())))?
        }
        None => {
            let number = evidence_id.strip_prefix("Q-").or(evidence_id.strip_prefix("A-"));
            number.and_then(|number| number.parse().ok())
        }
    };
    let chunk: i64 = chunk.ok_or_else(missing)?;
    as_owner(|| spi::retrieve::surroundings(project, chunk, max_chars, evidence_id))?.ok_or_else(missing)
}
