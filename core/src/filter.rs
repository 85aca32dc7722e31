//! The filter that every list and search of memories shares, read from JSON and checked.
//!
//! All conditions must hold. A key that is absent or null restricts nothing. A list that names what is wanted (`kinds`,
//! `scopes`, `tags_any`, `item_ids` ...) wants one of its values, so an empty one matches nothing: a program that found
//! nothing to ask for must not be given everything. An empty `tags_all` or `exclude_item_ids` restricts nothing. Values that
//! are repeated count once, and their order does not matter. Times without an offset are UTC.

mod error;
#[cfg(test)]
mod tests;
mod time;
mod value;

use serde_json::Value;
use uuid::Uuid;

pub use error::{FilterError, ValueProblem};
pub use time::Timestamp;

use crate::memory_kind::{Scope, Sensitivity, Visibility};
use crate::transcript::speaker_key;
use value::{flag, list, text, timestamp, uuid, word};

/// The most values of one list.
pub const MOST_VALUES: usize = 1000;

/// The longest value, in characters.
pub const LONGEST_VALUE: usize = 500;

/// The keys that a filter knows, sorted.
pub const KEYS: [&str; 16] = [
    "canonical_only",
    "created_after",
    "created_before",
    "doc_classes",
    "entities",
    "exclude_item_ids",
    "item_ids",
    "kinds",
    "pinned_only",
    "scopes",
    "sensitivities",
    "source_systems",
    "speakers",
    "tags_all",
    "tags_any",
    "visibility_scopes",
];

/// What a memory must be like. Lists are sorted and unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// One of these kinds.
    pub kinds: Option<Vec<String>>,
    /// One of these scopes.
    pub scopes: Option<Vec<Scope>>,
    /// One of these doc classes.
    pub doc_classes: Option<Vec<String>>,
    /// At least one of these tags.
    pub tags_any: Option<Vec<String>>,
    /// All of these tags.
    pub tags_all: Vec<String>,
    /// One of these sensitivities.
    pub sensitivities: Option<Vec<Sensitivity>>,
    /// One of these visibilities.
    pub visibility_scopes: Option<Vec<Visibility>>,
    /// From one of these systems.
    pub source_systems: Option<Vec<String>>,
    /// One of these items.
    pub item_ids: Option<Vec<Uuid>>,
    /// Parts that mention one of these entities, by name, by another name or by key.
    pub entities: Option<Vec<String>>,
    /// Parts of conversations in which one of these speaks, as [`speaker_key`] has them.
    pub speakers: Option<Vec<String>>,
    /// None of these items.
    pub exclude_item_ids: Vec<Uuid>,
    /// Pinned.
    pub pinned_only: bool,
    /// Canonical documents.
    pub canonical_only: bool,
    /// Created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Created earlier than this.
    pub created_before: Option<Timestamp>,
}

impl Filter {
    /// Reads a JSON object.
    pub fn from_json(json: &Value) -> Result<Self, FilterError> {
        let Value::Object(entries) = json else { return Err(FilterError::NotAnObject) };
        let mut filter = Self::default();
        for (key, value) in entries {
            let Some(key) = KEYS.into_iter().find(|known| known == key) else {
                return Err(FilterError::unknown(key));
            };
            if !value.is_null() {
                filter.set(key, value)?;
            }
        }
        Ok(filter)
    }

    fn set(&mut self, key: &'static str, value: &Value) -> Result<(), FilterError> {
        match key {
            "canonical_only" => self.canonical_only = flag(key, value)?,
            "created_after" => self.created_after = Some(timestamp(key, value)?),
            "created_before" => self.created_before = Some(timestamp(key, value)?),
            "doc_classes" => self.doc_classes = Some(list(key, value, text)?),
            "entities" => self.entities = Some(list(key, value, text)?),
            "exclude_item_ids" => self.exclude_item_ids = list(key, value, uuid)?,
            "item_ids" => self.item_ids = Some(list(key, value, uuid)?),
            "kinds" => self.kinds = Some(list(key, value, text)?),
            "pinned_only" => self.pinned_only = flag(key, value)?,
            "scopes" => self.scopes = Some(list(key, value, word(Scope::from_word, Scope::WORDS))?),
            "sensitivities" => {
                self.sensitivities =
                    Some(list(key, value, word(Sensitivity::from_word, Sensitivity::WORDS))?);
            }
            "source_systems" => self.source_systems = Some(list(key, value, text)?),
            "speakers" => {
                self.speakers = Some(list(key, value, |name| Ok(speaker_key(name)))?);
            }
            "tags_all" => self.tags_all = list(key, value, text)?,
            "tags_any" => self.tags_any = Some(list(key, value, text)?),
            "visibility_scopes" => {
                self.visibility_scopes =
                    Some(list(key, value, word(Visibility::from_word, Visibility::WORDS))?);
            }
            _ => return Err(FilterError::unknown(key)),
        }
        Ok(())
    }

    /// Whether no memory can match, so that nobody has to look.
    pub fn matches_nothing(&self) -> bool {
        fn is_empty<T>(list: &Option<Vec<T>>) -> bool {
            list.as_ref().is_some_and(Vec::is_empty)
        }
        is_empty(&self.kinds)
            || is_empty(&self.scopes)
            || is_empty(&self.doc_classes)
            || is_empty(&self.tags_any)
            || is_empty(&self.sensitivities)
            || is_empty(&self.visibility_scopes)
            || is_empty(&self.source_systems)
            || is_empty(&self.item_ids)
            || is_empty(&self.entities)
            || is_empty(&self.speakers)
            || matches!((self.created_after, self.created_before), (Some(after), Some(before)) if after >= before)
            || self
                .item_ids
                .as_ref()
                .is_some_and(|ids| ids.iter().all(|id| self.exclude_item_ids.binary_search(id).is_ok()))
    }
}
