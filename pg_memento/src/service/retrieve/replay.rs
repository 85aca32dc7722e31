//! Making a pack again: the same rows give the same pack, byte for byte; otherwise it is said what has changed.

use std::ffi::CStr;

use memento_core::access::AccessLevel;
use memento_core::query::{Date, LaneWeights};
use pgrx::Uuid;
use serde_json::{Map, Value, json};

use super::pack::{self, lane_details};
use super::record::kept;
use super::{Made, Request, RetrieveError, make, whole};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::setting::with_settings;
use crate::service::access::{as_owner, authorize_current};
use crate::service::search;
use crate::service::search::dense::EXACT;
use crate::service::search::gather::{DENSE, LEXICAL, RERANK};
use crate::service::search::manner::Manner;
use crate::service::search::{lexical, weights};
use crate::spi::retrieve::{Fate, StoredPack};
use crate::spi::{self, StatementResult};

/// What can have become of evidence because of its own rows.
const OF_ROWS: [&str; 6] =
    ["item_gone", "item_archived", "version_gone", "version_superseded", "chunk_gone", "chunk_new"];

/// The columns of a pack that hold JSON, read.
struct Recorded {
    settings: Value,
    lanes: Value,
    evidence: Value,
}

impl Recorded {
    /// The settings of the session that lanes read, as they were. Where full-text search answered, it does again, also if an engine
    /// has been set up since.
    fn session(&self) -> Vec<(&'static CStr, String)> {
        let numbers = [(c"memento.bm25_k1", "bm25_k1"), (c"memento.bm25_b", "bm25_b")];
        let known = numbers
            .into_iter()
            .filter_map(|(name, key)| Some((name, self.settings[key].as_f64()?.to_string())));
        let is_engine = |lane: &Value| lane["used"].as_str().is_some_and(lexical::is_engine);
        let of_words =
            self.lanes.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with(LEXICAL));
        let by_engine = of_words.into_iter().any(|(_, lane)| is_engine(lane));
        known.chain([(c"memento.bm25_engine", by_engine.to_string())]).collect()
    }
}

/// Makes a pack again with the arguments and settings that it was made with.
pub fn replay(pack_id: Uuid) -> Result<Jsonb, RetrieveError> {
    let project = authorize_current(AccessLevel::Read)?;
    let pack = as_owner(|| spi::retrieve::pack(project, pack_id))?.ok_or(RetrieveError::NoPack(pack_id))?;
    let read = |jsonb: &Jsonb| jsonb.parse().unwrap_or(Value::Null);
    let recorded =
        Recorded { settings: read(&pack.settings), lanes: read(&pack.lanes), evidence: read(&pack.evidence) };
    let request = request_of(&pack, &recorded.settings);
    request.check()?;
    let Some(mut scope) = search::scope(request.candidates(), &request.filters, request.as_of)? else {
        return Err(RetrieveError::NoPack(pack_id));
    };
    scope.profile = profile_of(&recorded.settings);
    scope.is_exact = recorded.lanes[DENSE]["used"] == EXACT;
    Ok(as_owner(|| {
        let manner = request.manner(manner_of(&recorded.settings));
        let made = with_settings(&recorded.session(), || make(&request, &scope, manner))?;
        let same = spi::retrieve::has_shown(project, pack_id, made.shown.clone().into())?;
        let changes = changes(project, &pack, &recorded, &made, same)?;
        // What was shown is the same, so it was found as it was then: times of now would say something else.
        let retrieval = if same { pack.retrieval.clone() } else { pack::notes(&made.found).into() };
        Ok(Jsonb::object(&[
            ("query_id", json!(pack_id.to_string()).into()),
            ("same", json!(same).into()),
            ("changes", Value::from(changes).into()),
            ("pack", again(pack_id, &request, made.shown, retrieval)),
        ]))
    })?)
}

/// The pack with its key and notes. As text, because numbers in the notes that are read and written may differ in their last digit.
fn again(pack_id: Uuid, request: &Request, shown: Value, retrieval: Jsonb) -> Jsonb {
    let notes = Jsonb::object(&[
        ("retrieval", retrieval),
        ("stored", json!(true).into()),
        ("not_stored_because", Value::Null.into()),
    ]);
    let whole = whole(request.return_style, shown, Some(pack_id), Value::Null);
    let fields = whole.as_object().into_iter().flatten().map(|(name, value)| match name.as_str() {
        "notes" => ("notes", notes.clone()),
        name => (name, value.clone().into()),
    });
    Jsonb::object(&fields.collect::<Vec<_>>())
}

fn request_of<'a>(pack: &'a StoredPack, settings: &'a Value) -> Request<'a> {
    let number = |key: &str| settings[key].as_i64().and_then(|number| i32::try_from(number).ok());
    Request {
        query: &pack.query,
        max_items: number("max_evidence_items").unwrap_or_default(),
        max_chars: number("max_total_chars").unwrap_or_default(),
        max_tokens: number("max_total_tokens"),
        max_per_item: number("max_per_item").unwrap_or_default(),
        filters: settings["filters"].clone().into(),
        as_of: pack.as_of,
        intent: settings["given_intent"].as_str(),
        return_style: settings["return_style"].as_str().unwrap_or_default(),
        strategy: settings["strategy"].as_str().unwrap_or_default(),
        debug: settings["debug"] == true,
        store: false,
    }
}

fn profile_of(settings: &Value) -> Option<Uuid> {
    let profile = uuid::Uuid::try_parse(settings["profile"].as_str()?).ok()?;
    Some(Uuid::from_bytes(*profile.as_bytes()))
}

/// Without what the request says.
fn manner_of(settings: &Value) -> Manner {
    let day = settings["day"].as_i64().and_then(Date::from_days).unwrap_or(Date::EPOCH);
    let max_per_item =
        settings["search_max_per_item"].as_u64().and_then(|number| usize::try_from(number).ok());
    Manner {
        day,
        max_per_item: max_per_item.unwrap_or(1),
        rerank: settings["rerank"] == true,
        weights: weights::read(&settings["search_weights"]).unwrap_or(LaneWeights::EVEN),
        hierarchical: false,
        intent: None,
    }
}

/// What has changed, the evidence in the order of the pack first, then what is new in it, then how it was looked for.
fn changes(
    project: Uuid,
    pack: &StoredPack,
    recorded: &Recorded,
    made: &Made,
    same: bool,
) -> StatementResult<Vec<Value>> {
    let mut changes = Vec::new();
    if !same {
        let now = Jsonb::from(Value::from(made.chosen.evidence.iter().map(kept).collect::<Vec<_>>()));
        // Read as the other was, so that its numbers are rounded in the same way.
        let now = now.parse().unwrap_or(Value::Null);
        let fates = |evidence: &Value| {
            spi::retrieve::fates(project, evidence.clone().into(), pack.as_of, pack.created_at)
        };
        let (before, after) = (fates(&recorded.evidence)?, fates(&now)?);
        changes.extend(changed_evidence(&before, &recorded.evidence, &now));
        changes.extend(new_evidence(&before, &after));
        if changes.is_empty() {
            changes.push(json!({"change": "described_differently"}));
        }
    }
    let lanes = lane_details(&made.found);
    if !same {
        changes.extend(not_of_rows(recorded, &lanes, &changes));
    }
    changes.extend(changed_lanes(&recorded.lanes, &lanes));
    Ok(changes)
}

/// What else than the rows of the project may have made the difference, if no row has: another version of the extension, and lanes that
/// something else has a part in.
fn not_of_rows(recorded: &Recorded, lanes: &Value, changes: &[Value]) -> Vec<Value> {
    let of_rows = changes.iter().filter_map(|change| change["change"].as_str());
    if of_rows.into_iter().any(|change| OF_ROWS.contains(&change)) {
        return Vec::new();
    }
    let (was, is) = (recorded.settings["extension"].as_str(), env!("CARGO_PKG_VERSION"));
    let version = (was != Some(is)).then(|| json!({"change": "extension", "was": was, "is": is}));
    let depends = |name: &str, used: &str| match name {
        // It knows the statistics of all projects, and the graph of an index is made in the order of the rows of all.
        LEXICAL => lexical::is_engine(used),
        DENSE => used != EXACT,
        name => name == RERANK,
    };
    let lanes = lanes.as_object().into_iter().flatten().filter_map(|(name, lane)| {
        let used = lane["used"].as_str().filter(|used| depends(name, used))?;
        Some(json!({"change": "not_of_rows", "lane": name, "used": used}))
    });
    version.into_iter().chain(lanes).collect()
}

/// What has become of the evidence that the pack had.
fn changed_evidence(fates: &[Fate], before: &Value, after: &Value) -> Vec<Value> {
    let find = |evidence: &Value, id: &str| {
        let place = evidence.as_array()?.iter().position(|one| one["evidence_id"] == id)?;
        Some((place + 1, evidence[place].clone()))
    };
    let change = |fate: &Fate| {
        let was = find(before, &fate.evidence_id)?;
        let change = match (&fate.change, find(after, &fate.evidence_id)) {
            (Some(change), None) => described(change, fate),
            (None, None) => described("displaced", fate),
            (_, Some((place, _))) if place != was.0 => {
                let mut moved = described("moved", fate);
                moved["was"] = json!(was.0);
                moved["is"] = json!(place);
                moved
            }
            (_, Some((_, is))) if is != was.1 => described("scored_differently", fate),
            _ => return None,
        };
        Some(change)
    };
    fates.iter().filter_map(change).collect()
}

/// What the pack did not have: chunks that are new since, and others that have come up.
fn new_evidence(before: &[Fate], after: &[Fate]) -> Vec<Value> {
    let is_new = |fate: &&Fate| !before.iter().any(|old| old.evidence_id == fate.evidence_id);
    let was_cut_anew = |fate: &Fate| {
        before.iter().any(|old| {
            old.change.as_deref() == Some("chunk_gone")
                && (old.item_id, old.version_num) == (fate.item_id, fate.version_num)
        })
    };
    let change = |fate: &Fate| {
        let change = if fate.is_newer || was_cut_anew(fate) { "chunk_new" } else { "came_up" };
        described(change, fate)
    };
    after.iter().filter(is_new).map(change).collect()
}

fn described(change: &str, fate: &Fate) -> Value {
    let mut described = json!({
        "change": change,
        "evidence_id": fate.evidence_id,
        "item_id": fate.item_id.to_string(),
        "version_num": fate.version_num,
    });
    if change == "version_superseded" {
        described["latest_version_num"] = json!(fate.latest_version_num);
    }
    described
}

/// Lanes that ran and do not, or use something else than they did.
fn changed_lanes(before: &Value, after: &Value) -> Vec<Value> {
    let what = |lane: &Value| lane["used"].as_str().or(lane["reason"].as_str()).map(str::to_owned);
    let empty = Map::new();
    let names = before.as_object().unwrap_or(&empty).keys();
    names
        .filter_map(|name| {
            let (was, is) = (what(&before[name]), what(&after[name]));
            (was != is).then(|| json!({"change": "lane", "lane": name, "was": was, "is": is}))
        })
        .collect()
}
