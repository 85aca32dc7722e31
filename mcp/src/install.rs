//! Setting up clients.

use crate::database::Database;
use crate::handler::Shared;

/// Checks the database and prints what is not well.
pub async fn doctor(_database: &Database) -> Result<(), String> {
    Ok(())
}

/// Sets a client up.
pub async fn install(_shared: &Shared, _client: &str, _name: &str, _write: bool) -> Result<(), String> {
    Ok(())
}
