//! What clients see, on throw-away clusters. One program, so that tests of all areas run beside each other: most of them wait.
//!
//! `scripts/test --only client memory queue` runs the tests of some of these files.

mod access;
mod artifact;
mod artifact_search;
mod audit;
#[path = "background/main.rs"]
mod background;
mod commit;
mod crash;
mod documents;
mod drop_guard;
mod dump_restore;
mod eval;
#[path = "events/main.rs"]
mod events;
#[path = "../../worker/tests/fake_endpoint/mod.rs"]
#[allow(dead_code)] // The tests of the providers use the rest.
mod fake_endpoint;
mod history;
mod install;
#[path = "lexical/main.rs"]
mod lexical;
mod lineage;
mod lineage_integrity;
mod lineage_record;
mod lineage_walk;
#[path = "mcp/main.rs"]
mod mcp;
mod meanwhile;
mod memory;
#[path = "models/main.rs"]
mod models;
mod pg_upgrade;
#[path = "queue/main.rs"]
mod queue;
mod regress;
mod rerank;
mod retention;
#[path = "retrieve/main.rs"]
mod retrieve;
mod search;
mod search_filters;
mod search_input;
mod search_many;
mod text;
#[path = "../../worker/tests/tiny_model/mod.rs"]
#[allow(dead_code)] // The tests of the local model use the rest.
mod tiny_model;
mod trigram;
mod upgrade;
