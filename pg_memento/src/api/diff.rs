//! What changed between two versions.

use memento_core::diff::Diff;
use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::{Value, json};

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::service::item;
use crate::service::text::int;

/// As many as `diff -u` and git show.
const CONTEXT_LINES: i32 = 3;

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_diff(
    item_id: Option<Uuid>,
    from_version: Option<i32>,
    to_version: default!(Option<i32>, "null"),
    context_lines: default!(Option<i32>, "3"),
) -> ApiResult<Jsonb> {
    let item_id = given("item_id", item_id)?;
    let compared = item::compare(item_id, given("from_version", from_version)?, to_version)?;
    let (old, new) = (&compared.old, &compared.new);
    let diff = Diff::new(&old.content, &new.content);
    let name = |version_num: i32| format!("version {version_num}");
    let context = usize::try_from(context_lines.unwrap_or(CONTEXT_LINES)).unwrap_or(0);
    Ok(json!({
        "item_id": item_id.to_string(),
        "from_version": old.version_num,
        "to_version": new.version_num,
        "changed": !diff.is_empty(),
        "unified": diff.unified(&name(old.version_num), &name(new.version_num), context),
        "words": words(&diff),
    })
    .into())
}

/// Each change with its pieces: equal, delete or insert. Lines count from 1.
fn words(diff: &Diff) -> Value {
    diff.words()
        .map(|(hunk, pieces)| {
            check_for_interrupts();
            json!({
                "old_line": hunk.old_lines.start + 1,
                "new_line": hunk.new_lines.start + 1,
                "pieces": pieces.iter().map(|piece| json!([piece.op.as_str(), piece.text])).collect::<Value>(),
            })
        })
        .collect()
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn memory_diff_lines(
    item_id: Option<Uuid>,
    from_version: Option<i32>,
    to_version: default!(Option<i32>, "null"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(op, &'static str),
            name!(old_line, Option<i32>),
            name!(new_line, Option<i32>),
            name!(line_text, String),
        ),
    >,
    ErrorReport,
> {
    let compared =
        item::compare(given("item_id", item_id)?, given("from_version", from_version)?, to_version)?;
    let diff = Diff::new(&compared.old.content, &compared.new.content);
    let rows: Vec<_> = diff
        .rows()
        .map(|row| {
            check_for_interrupts();
            (row.op.as_str(), row.old_line.map(int), row.new_line.map(int), row.text.to_owned())
        })
        .collect();
    Ok(TableIterator::new(rows))
}
