//! Evidence for a query: the best passages within a budget, with where they come from and why they are there.

mod choose;
mod pack;
mod record;
mod replay;

pub use record::explain;
pub use replay::replay;

use memento_core::access::AccessLevel;
use memento_core::query::Intent;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use self::choose::{Budget, Chosen};
use self::pack::Evidence;
use super::access::{AccessError, as_owner, authorize_current};
use super::lineage::{found_items, record as record_event};
use super::search::gather::{Gathered, gather_as};
use super::search::manner::Manner;
use super::search::{self, SearchError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::can_write;
use crate::spi;
use crate::spi::search::Scope;

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
    #[error("strategy must be global or hierarchical")]
    UnknownStrategy,
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
            Self::UnknownStrategy => {
                Some("leave it out to look everywhere; hierarchical prefers the best documents".into())
            }
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
    pub strategy: &'a str,
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
        if !["global", "hierarchical"].contains(&self.strategy) {
            return Err(RetrieveError::UnknownStrategy);
        }
        if self.intent.is_some_and(|intent| !Intent::WORDS.contains(&intent)) {
            return Err(RetrieveError::UnknownIntent);
        }
        Ok(())
    }

    /// How many candidates there are for its places.
    fn candidates(&self) -> i32 {
        (self.max_items * CANDIDATES).min(search::MAX_RESULTS)
    }

    /// A manner with what the request says of it.
    fn manner(&self, manner: Manner) -> Manner {
        let hierarchical = self.strategy == "hierarchical";
        Manner { hierarchical, intent: self.intent.and_then(Intent::from_word), ..manner }
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

/// A pack before anybody has kept it.
struct Made {
    manner: Manner,
    found: Gathered,
    chosen: Chosen,
    /// What is shown, without how it was looked for.
    shown: Value,
}

/// Makes a pack of a scope that the caller may read, as the owner.
fn make(request: &Request, scope: &Scope, manner: Manner) -> spi::StatementResult<Made> {
    let found = gather_as(scope, request.query, request.candidates(), &manner)?;
    let chosen = choose::choose(scope.project, request, &found)?;
    let shown = pack::shown(request, &found, &chosen);
    Ok(Made { manner, found, chosen, shown })
}

/// The evidence pack for a query.
pub fn retrieve(request: &Request) -> Result<Value, RetrieveError> {
    request.check()?;
    let Some(mut scope) = search::scope(request.candidates(), &request.filters, request.as_of)? else {
        return Ok(pack::empty(request, "the filters match nothing"));
    };
    let caller = crate::ffi::identity::current_role();
    let (evidence, query_id, answer) = as_owner(|| {
        // Named, because the project may have another one when the pack is made again.
        let profile = spi::profile::active(scope.project, None)?;
        scope.profile = profile.map(|profile| Uuid::from_bytes(*profile.profile.as_bytes()));
        let made = make(request, &scope, request.manner(Manner::of(scope.project)?))?;
        let unstored = match (request.store, can_write()) {
            (false, _) => Some("not asked for"),
            (true, false) => Some("the transaction is read-only"),
            (true, true) => None,
        };
        let query_id = match unstored {
            None => Some(record::store(&scope, caller, request, &made)?),
            Some(_) => None,
        };
        let notes = json!({
            "retrieval": pack::notes(&made.found),
            "stored": unstored.is_none(),
            "not_stored_because": unstored,
        });
        Ok((made.chosen.evidence, query_id, whole(request.return_style, made.shown, query_id, notes)))
    })?;
    record_event("retrieve", || event_data(request.query, &evidence, query_id))?;
    Ok(answer)
}

/// What the event of a retrieval says: what was asked, the pack, and the memories in it.
fn event_data(query: &str, evidence: &[Evidence], query_id: Option<Uuid>) -> Value {
    let items = found_items(evidence.iter().map(|one| one.passage.item_id));
    let ids: Vec<String> = evidence.iter().map(Evidence::evidence_id).collect();
    json!({"query": query, "pack_id": query_id.map(|id| id.to_string()), "item_ids": items, "evidence_ids": ids})
}

/// A pack with its key and with the notes on how it was made, which go with everything but bare ids.
fn whole(return_style: &str, mut shown: Value, query_id: Option<Uuid>, notes: Value) -> Value {
    shown["query_id"] = json!(query_id.map(|id| id.to_string()));
    if return_style != "ids_only" {
        shown["notes"] = notes;
    }
    shown
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
