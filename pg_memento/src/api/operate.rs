//! Looking at the installation.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::ApiResult;
use crate::ffi::jsonb::Jsonb;
use crate::service::doctor;

#[pg_extern(immutable, parallel_safe, strict)]
pub fn version() -> &'static str {
    doctor::LIBRARY_VERSION
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn capabilities() -> ApiResult<Jsonb> {
    Ok(doctor::capabilities()?.into())
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn doctor() -> Result<
    TableIterator<
        'static,
        (
            name!(check_name, String),
            name!(status, String),
            name!(detail, String),
            name!(hint, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let findings = doctor::examine()?;
    Ok(TableIterator::new(findings.into_iter().map(|finding| {
        (finding.check.to_owned(), finding.status.as_str().to_owned(), finding.detail, finding.hint)
    })))
}
