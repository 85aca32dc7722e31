//! The MCP shim. It may depend on the database only, never on a crate of this workspace: which tools and resources there
//! are, and what they do, is decided by public SQL (`memento.mcp_tools`, `mcp_call`, `mcp_resources`, `mcp_read`).
#![forbid(unsafe_code)]

pub mod database;
pub mod failure;
pub mod handler;
pub mod http;
pub mod install;
pub mod journal;
pub mod settings;
mod statement;
mod watch;
