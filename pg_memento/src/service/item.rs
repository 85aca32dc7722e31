//! What can be done with an item that exists.

use memento_core::access::AccessLevel;
use memento_core::memory_kind::ORDERING_RELATIONS;
use pgrx::Uuid;
use pgrx::prelude::*;

use super::access::{AccessError, as_owner, authorize_current};
use super::ingest::{Written, write_version};
use super::memory::{Remembered, Status, audit};
use super::secret::{Screen, SecretError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi::item::{State, VersionContent};
use crate::spi::store::{self, KnownItem};
use crate::{ffi, spi};

/// The most versions of one page.
pub const MAX_VERSIONS: i32 = 1000;

/// Longer ones are sentences.
const LONGEST_RELATION: usize = 100;

/// Why something cannot be done with an item.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    #[error("item {0} does not exist in this project")]
    NoItem(Uuid),
    #[error("item {0} has no such version")]
    NoVersion(Uuid),
    #[error("version {0} does not exist in this project")]
    NoSuchVersion(Uuid),
    #[error("version_num and as_of are two ways to say which version")]
    TwoVersions,
    #[error("max_versions must be between 1 and {MAX_VERSIONS}, not {0}")]
    BadLimit(i32),
    #[error("an item cannot be linked to itself")]
    LinkedToItself,
    #[error("the link would close a circle: {0} leads from the second item to the first")]
    Circle(String),
    #[error("relation must have 1 to {LONGEST_RELATION} characters")]
    BadRelation,
    #[error("metadata must be a JSON object")]
    MetadataNotObject,
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ItemError);

impl Failure for ItemError {
    passed_on!(Secret, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoItem(_) | Self::NoVersion(_) | Self::NoSuchVersion(_) => {
                PgSqlErrorCode::ERRCODE_NO_DATA_FOUND
            }
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoItem(_) => "ITEM_NOT_FOUND",
            Self::NoVersion(_) | Self::NoSuchVersion(_) => "VERSION_NOT_FOUND",
            Self::Circle(_) => "CYCLE_DETECTED",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoItem(_) => Some("it may be in another project: see memento.use_project()".into()),
            Self::NoSuchVersion(_) => {
                Some("memento.memory_history(item_id) has the versions of an item".into())
            }
            Self::NoVersion(item) => Some(format!("see memento.memory_history('{item}')")),
            Self::TwoVersions => Some("give one of them".into()),
            Self::BadLimit(_) => Some("read on with before_version => next_before of the page before".into()),
            Self::LinkedToItself => Some("give two items".into()),
            Self::Circle(_) => Some(
                "see: select * from memento.link; a relation such as related_to may go in circles".into(),
            ),
            Self::BadRelation => Some("for example: relation => 'supersedes'".into()),
            Self::MetadataNotObject => Some("for example: metadata => '{\"why\": \"newer\"}'".into()),
            _ => None,
        }
    }
}

/// An item with a version of it.
pub fn get(
    item: Uuid,
    version_num: Option<i32>,
    as_of: Option<TimestampWithTimeZone>,
) -> Result<Jsonb, ItemError> {
    if version_num.is_some() && as_of.is_some() {
        return Err(ItemError::TwoVersions);
    }
    let project = authorize_current(AccessLevel::Read)?;
    match as_owner(|| spi::item::get(project, item, version_num, as_of))? {
        Some(found) => Ok(found),
        None => Err(missing(project, item)?),
    }
}

/// A page of an item's versions, newest first.
pub fn history(item: Uuid, limit: i32, before: Option<i32>) -> Result<Jsonb, ItemError> {
    if !(1..=MAX_VERSIONS).contains(&limit) {
        return Err(ItemError::BadLimit(limit));
    }
    let project = authorize_current(AccessLevel::Read)?;
    if !as_owner(|| spi::item::exists(project, item))? {
        return Err(ItemError::NoItem(item));
    }
    as_owner(|| spi::item::history(project, item, before, limit))?.ok_or(ItemError::NoItem(item))
}

/// What an old version says becomes the newest; nothing happens if it is what the newest says.
pub fn restore(item: Uuid, version_num: i32) -> Result<Remembered, ItemError> {
    let project = authorize_current(AccessLevel::Write)?;
    let Some(kind) = as_owner(|| spi::item::lock(project, item))? else {
        return Err(ItemError::NoItem(item));
    };
    let content = |version| as_owner(|| spi::item::content(project, item, version));
    let (Some(old), Some(latest)) = (content(Some(version_num))?, content(None)?) else {
        return Err(ItemError::NoVersion(item));
    };
    // What was stored under another policy may not be today.
    let mut screen = Screen::of_project(project)?;
    let content = screen.text(&old.content)?;
    let secrets = screen.into_found();
    let next = latest.version_num + 1;
    let audit = audit("restore", None);
    Ok(as_owner(|| {
        let (status, version_num, written) = if content == latest.content {
            let chunk_count = store::count_chunks(project, latest.version_id)?;
            let unchanged = Written { version_id: latest.version_id, chunk_count, ingest_job: None };
            (Status::Unchanged, latest.version_num, unchanged)
        } else {
            let item = KnownItem { item_id: item, kind };
            (Status::Restored, next, write_version(project, &item, next, &content, audit)?)
        };
        let Written { version_id, chunk_count, ingest_job } = written;
        Ok(Remembered { status, item_id: item, version_id, version_num, chunk_count, ingest_job, secrets })
    })?)
}

/// Two versions of an item, the second the latest if none is given.
pub struct Compared {
    pub old: VersionContent,
    pub new: VersionContent,
}

/// Reads the two versions of a comparison.
pub fn compare(item: Uuid, from: i32, to: Option<i32>) -> Result<Compared, ItemError> {
    let project = authorize_current(AccessLevel::Read)?;
    let content = |version| as_owner(|| spi::item::content(project, item, version));
    match (content(Some(from))?, content(to)?) {
        (Some(old), Some(new)) => Ok(Compared { old, new }),
        _ => Err(missing(project, item)?),
    }
}

/// Changes an item's state.
pub fn set_state(item: Uuid, state: State) -> Result<Jsonb, ItemError> {
    let project = authorize_current(AccessLevel::Write)?;
    as_owner(|| spi::item::set_state(project, item, state))?.ok_or(ItemError::NoItem(item))
}

/// Says that one item has to do with another.
pub fn link(from: Uuid, to: Uuid, relation: &str, metadata: Jsonb) -> Result<Jsonb, ItemError> {
    if from == to {
        return Err(ItemError::LinkedToItself);
    }
    if relation.trim().is_empty() || relation.chars().count() > LONGEST_RELATION {
        return Err(ItemError::BadRelation);
    }
    if !metadata.is_object() {
        return Err(ItemError::MetadataNotObject);
    }
    let project = authorize_current(AccessLevel::Write)?;
    let metadata = Screen::of_project(project)?.json(metadata)?;
    if ORDERING_RELATIONS.contains(&relation)
        && as_owner(|| spi::item::closes_circle(project, (from, to), relation))?
    {
        return Err(ItemError::Circle(relation.to_owned()));
    }
    let role = ffi::identity::current_role();
    match as_owner(|| spi::item::link(project, (from, to), relation, role, metadata))? {
        Some(link) => Ok(link),
        None if as_owner(|| spi::item::exists(project, from))? => Err(ItemError::NoItem(to)),
        None => Err(ItemError::NoItem(from)),
    }
}

fn missing(project: Uuid, item: Uuid) -> Result<ItemError, ItemError> {
    let exists = as_owner(|| spi::item::exists(project, item))?;
    Ok(if exists { ItemError::NoVersion(item) } else { ItemError::NoItem(item) })
}
