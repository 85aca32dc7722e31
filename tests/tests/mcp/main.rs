//! MCP: what the database says about its tools, and the shim that passes it on, over stdio and over HTTP.

mod catalogue;
mod http;
mod refusals;
mod resources;
mod scene;
mod shim;
mod story;
