//! The MCP shim. It may depend on the database only, never on a crate of this workspace: what a tool does is
//! decided by public SQL.
#![forbid(unsafe_code)]
