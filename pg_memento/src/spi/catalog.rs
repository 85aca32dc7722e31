//! What the system catalogues say about the server and about us.

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

use super::{StatementResult, rows};
use crate::error::StatementError;
use crate::ffi::identity::extension_owner as extension_owner_of;

/// The role that owns the extension and its tables.
pub fn extension_owner() -> StatementResult<Oid> {
    extension_owner_of(c"pg_memento").ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition))
}

/// A role's name.
pub fn role_name(role: Oid) -> StatementResult<String> {
    one("select pg_catalog.pg_get_userbyid($1)::text", &[role.into()])
}

/// The version of the SQL objects in this database; the library may be newer.
pub fn installed_version() -> StatementResult<String> {
    one("select extversion from pg_catalog.pg_extension where extname = 'pg_memento'", &[])
}

/// A setting of the server as SHOW prints it; none where it is unknown or hidden from the caller.
pub fn setting(name: &str) -> StatementResult<Option<String>> {
    optional("select pg_catalog.current_setting($1, true)", &[name.into()])
}

/// A memory setting in bytes.
pub fn setting_bytes(name: &str) -> StatementResult<i64> {
    one("select pg_catalog.pg_size_bytes(pg_catalog.current_setting($1))", &[name.into()])
}

/// The server's version number as in `server_version_num`.
pub fn server_version_num() -> StatementResult<i32> {
    one("select pg_catalog.current_setting('server_version_num')::int", &[])
}

/// Whether a project that the caller sees has vectors of the local model.
pub fn uses_local_model() -> StatementResult<bool> {
    one(
        "select exists (select from memento.project p join memento.embedding_profile e on e.profile_id in (p.active_profile_id, p.candidate_profile_id)
                         where e.provider = 'local')",
        &[],
    )
}

/// Whether the server is a standby.
pub fn in_recovery() -> StatementResult<bool> {
    one("select pg_catalog.pg_is_in_recovery()", &[])
}

/// An extension that we can make use of.
pub struct Engine {
    pub name: String,
    pub installed: Option<String>,
    pub available: Option<String>,
}

/// What is known about each optional extension, in the order asked for.
pub fn engines(names: &[&str]) -> StatementResult<Vec<Engine>> {
    rows(include_str!("queries/engines.sql"), &[names.to_vec().into()], |row| {
        Ok(Engine { name: row.get(1)?.unwrap_or_default(), installed: row.get(2)?, available: row.get(3)? })
    })
}

/// The schema of an extension; none if it is not installed in this database.
pub fn extension_schema(name: &str) -> StatementResult<Option<String>> {
    optional(
        "select n.nspname::text from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
          where e.extname = $1",
        &[name.into()],
    )
}

/// Members whose role has been dropped.
pub fn members_without_role() -> StatementResult<Vec<String>> {
    let found = rows(include_str!("queries/members_without_role.sql"), &[], |row| row.get::<String>(1))?;
    Ok(found.into_iter().flatten().collect())
}

/// The name of a table that is being dropped and still holds memories.
pub fn table_with_memories(table: Oid) -> StatementResult<Option<String>> {
    let Some(name) = optional::<String>(include_str!("queries/memory_table.sql"), &[table.into()])? else {
        return Ok(None);
    };
    // The name comes quoted from the catalogue; there is no way to bind it.
    let has_rows: bool = one(&format!("select exists (select from {name})"), &[])?;
    Ok(has_rows.then_some(name))
}

fn one<T: FromDatum + IntoDatum>(statement: &str, arguments: &[DatumWithOid]) -> StatementResult<T> {
    optional(statement, arguments)?.ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition))
}

fn optional<T: FromDatum + IntoDatum>(
    statement: &str,
    arguments: &[DatumWithOid],
) -> StatementResult<Option<T>> {
    let found = rows(statement, arguments, |row| row.get::<T>(1))?;
    Ok(found.into_iter().flatten().next())
}
