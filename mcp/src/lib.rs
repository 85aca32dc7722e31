//! The MCP shim. It may depend on the database only, never on a crate of this workspace: which tools and resources there
//! are, and what they do, is decided by public SQL (`memento.mcp_tools`, `mcp_call`, `mcp_resources`, `mcp_read`).
#![forbid(unsafe_code)]

pub mod database;
pub mod failure;
pub mod handler;
pub mod http;
pub mod install;
pub mod journal;
mod page;
pub mod settings;
mod statement;
pub mod stdio;
mod watch;

#[cfg(test)]
mod tests {
    #[test]
    fn the_description_for_directories_is_of_this_version() {
        let server: serde_json::Value = serde_json::from_str(include_str!("../server.json")).unwrap();
        assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
        // A limit of those who list servers.
        assert!(server["description"].as_str().unwrap().len() <= 100);
    }
}
