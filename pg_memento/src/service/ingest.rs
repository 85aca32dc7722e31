//! Chunking: in the transaction that stores a content, or later by a job where it is large.

use memento_core::access::AccessLevel;
use memento_core::chunk::{Budget, Chunk, chunk_grouped, grouping_for};
use memento_core::transcript::Speakers;
use pgrx::Uuid;
use serde_json::json;

use super::access::{as_owner, authorize_current};
use super::item::ItemError;
use super::term::{Tokenizer, as_lines};
use crate::ffi::jsonb::Jsonb;
use crate::spi::job::NewJob;
use crate::spi::store::{self, Audit, KnownItem};
use crate::{ffi, gucs, spi};

/// A version that was written.
pub struct Written {
    pub version_id: Uuid,
    pub chunk_count: usize,
    /// The job that will chunk it, where that is left for later.
    pub ingest_job: Option<i64>,
}

/// The next version of an item that is locked, with its chunks, or with a job that makes them.
pub fn write_version(
    project: Uuid,
    item: &KnownItem,
    version_num: i32,
    content: &str,
    audit: Audit,
) -> spi::StatementResult<Written> {
    let version_id = store::insert_version(project, item.item_id, version_num, content, audit)?;
    let (chunk_count, ingest_job) = if content.len() > gucs::max_inline_bytes() {
        (0, Some(enqueue(project, version_id)?))
    } else {
        (write_chunks(project, version_id, content, &item.kind)?, None)
    };
    Ok(Written { version_id, chunk_count, ingest_job })
}

fn enqueue(project: Uuid, version: Uuid) -> spi::StatementResult<i64> {
    let key = version.to_string();
    let payload = json!({}).into();
    spi::job::enqueue(
        project,
        NewJob { kind: "ingest", version: Some(version), dedup_key: Some(&key), payload },
    )
}

/// Cuts a content as its kind has it, and asks for the vectors of the chunks.
fn write_chunks(project: Uuid, version: Uuid, content: &str, kind: &str) -> spi::StatementResult<usize> {
    let chunks: Vec<Chunk> = chunk_grouped(content, Budget::default(), grouping_for(kind))
        .inspect(|_| ffi::server::check_for_interrupts())
        .collect();
    let tokenizer = Tokenizer::of_project(project)?;
    let tokens = chunks
        .iter()
        .map(|chunk| {
            ffi::server::check_for_interrupts();
            as_lines(&tokenizer.tokens(chunk.text))
        })
        .collect();
    let turns = Speakers::of(content, kind);
    let speakers = chunks.iter().map(|chunk| turns.within(&chunk.bytes).join("\n"));
    let speakers = speakers.map(|names| (!names.is_empty()).then_some(names)).collect();
    store::insert_chunks(project, version, &chunks, tokens, speakers, tokenizer.versions())?;
    spi::job::enqueue_embed(project, version)?;
    Ok(chunks.len())
}

/// The work of a job: makes the chunks of a version anew and says how many; 0 if the version is gone. For workers, who serve all
/// projects: who may call it is decided by the privilege on the function.
pub fn ingest_version(project: Uuid, version: Uuid) -> spi::StatementResult<usize> {
    as_owner(|| match store::begin_ingest(project, version)? {
        Some(found) => {
            let chunks = write_chunks(project, version, &found.content, &found.kind)?;
            spi::extract::link_evidence(project, version)?;
            Ok(chunks)
        }
        None => Ok(0),
    })
}

/// Asks for a job that makes the chunks of a version of the session's project anew.
pub fn reingest(version: Uuid) -> Result<Jsonb, ItemError> {
    let project = authorize_current(AccessLevel::Admin)?;
    if !as_owner(|| store::version_exists(project, version))? {
        return Err(ItemError::NoSuchVersion(version));
    }
    let job = as_owner(|| enqueue(project, version))?;
    Ok(json!({"version_id": version.to_string(), "job_id": job, "job_status": "PENDING"}).into())
}
