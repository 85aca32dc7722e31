//! pg_memento: agent memory and retrieval inside Postgres.
//!
//! A thin adapter around `memento-core`: `api` decodes, `service` composes, `spi` holds the statements, `ffi`
//! holds what is unsafe. The install-time schema is in `sql/` at the root of the workspace.

// pgrx's ErrorReport is large; it is only made when a statement fails.
#![allow(clippy::result_large_err)]

mod api;
mod background;
mod error;
mod ffi;
mod gucs;
mod init;
mod service;
mod spi;
#[cfg(feature = "pg_test")]
mod tests;

use pgrx::prelude::*;

pg_module_magic!(name, version);

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must unwind into a Postgres error: build with panic = \"unwind\"");

/// Called once by each process that loads the library: the postmaster when it is preloaded, else a backend.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    init::init();
}

// The schema, in the order of installation. Each file requires the one before it and the functions it names.
extension_sql_file!("../../sql/00_bootstrap.sql", name = "bootstrap", bootstrap);
extension_sql_file!("../../sql/05_profile.sql", name = "profile", requires = ["bootstrap"]);
extension_sql_file!("../../sql/06_chat_profile.sql", name = "chat_profile", requires = ["profile"]);
extension_sql_file!("../../sql/10_tenancy.sql", name = "tenancy", requires = ["chat_profile"]);
extension_sql_file!("../../sql/15_audit.sql", name = "audit", requires = ["tenancy"]);
extension_sql_file!("../../sql/20_store.sql", name = "store", requires = ["audit"]);
extension_sql_file!("../../sql/21_artifact.sql", name = "artifact", requires = ["store"]);
extension_sql_file!("../../sql/25_history.sql", name = "history", requires = ["artifact"]);
extension_sql_file!("../../sql/30_text.sql", name = "text", requires = ["history"]);
extension_sql_file!(
    "../../sql/32_lexical.sql",
    name = "lexical",
    requires = ["text", api::lexical::_word_count, api::lexical::_words_among, api::lexical::_bm25]
);
extension_sql_file!("../../sql/35_vector.sql", name = "vector", requires = ["lexical"]);
extension_sql_file!(
    "../../sql/40_queue.sql",
    name = "queue",
    requires = ["vector", api::queue::_job_is_whole, api::queue::_job_may_become]
);
extension_sql_file!("../../sql/41_worker.sql", name = "worker", requires = ["queue"]);
extension_sql_file!("../../sql/42_usage.sql", name = "usage", requires = ["worker"]);
extension_sql_file!("../../sql/43_embed.sql", name = "embed", requires = ["usage"]);
extension_sql_file!(
    "../../sql/44_jobs.sql",
    name = "jobs",
    requires = ["embed", api::queue::_backfill_tokens, api::queue::_rules_version]
);
extension_sql_file!(
    "../../sql/45_queue_views.sql",
    name = "queue_views",
    requires = ["jobs", api::queue::job_kinds, api::worker::worker_slots, api::worker::_wake_worker]
);
extension_sql_file!("../../sql/46_event.sql", name = "event", requires = ["queue_views"]);
extension_sql_file!("../../sql/47_entity.sql", name = "entity", requires = ["event"]);
extension_sql_file!("../../sql/48_evidence.sql", name = "evidence", requires = ["entity"]);
extension_sql_file!("../../sql/49_eval.sql", name = "eval", requires = ["evidence"]);
extension_sql_file!("../../sql/49_extract.sql", name = "extract", requires = ["eval"]);
extension_sql_file!("../../sql/50_erase.sql", name = "erase", requires = ["extract"]);
extension_sql_file!(
    "../../sql/55_lineage.sql",
    name = "lineage",
    requires = ["erase", api::lineage::new_event_id, api::lineage::named_items]
);
extension_sql_file!("../../sql/56_recording.sql", name = "recording", requires = ["lineage"]);
extension_sql_file!("../../sql/58_rate.sql", name = "rate", requires = ["recording"]);
extension_sql_file!(
    "../../sql/60_policy.sql",
    name = "policy",
    requires = ["rate", api::tenancy::readable_projects, api::tenancy::writable_projects]
);
extension_sql_file!(
    "../../sql/61_guard.sql",
    name = "guard",
    requires = ["policy", api::guard::_load_library]
);
extension_sql_file!(
    "../../sql/70_api_tenancy.sql",
    name = "api_tenancy",
    requires = [
        "guard",
        api::tenancy::use_project,
        api::tenancy::current_project,
        api::tenancy::create_project,
        api::tenancy::grant_access,
        api::tenancy::revoke_access,
        api::tenancy::projects_resolve,
        api::tenancy::projects_list
    ]
);
extension_sql_file!(
    "../../sql/71_api_memory.sql",
    name = "api_memory",
    requires = [
        "api_tenancy",
        api::memory::remember,
        api::memory::memory_get,
        api::memory::memory_history,
        api::memory::memory_list,
        api::memory::memory_restore,
        api::memory::memory_pin,
        api::memory::memory_unpin,
        api::memory::memory_archive,
        api::memory::memory_link,
        api::memory::memory_resolve,
        api::erase::forget,
        api::erase::verify_forgotten,
        api::erase::retention_due,
        api::erase::_apply_retention,
        api::memory::set_secret_policy,
        api::commit::memory_commit,
        api::commit::sessions_start,
        api::commit::sessions_end,
        api::canonical::canonical_upsert,
        api::canonical::canonical_get,
        api::canonical::canonical_outline,
        api::canonical::canonical_get_section,
        api::canonical::canonical_context_pack,
        api::diff::memory_diff,
        api::diff::memory_diff_lines,
        api::search::search,
        api::lexical::enable_bm25,
        api::lexical::disable_bm25
    ]
);
extension_sql_file!(
    "../../sql/72_api_operate.sql",
    name = "api_operate",
    requires = [
        "api_memory",
        api::operate::version,
        api::operate::capabilities,
        api::operate::doctor,
        api::worker::wait_until_running
    ]
);
extension_sql_file!(
    "../../sql/73_api_text.sql",
    name = "api_text",
    requires = [
        "api_operate",
        api::text::chunk_markdown,
        api::text::outline,
        api::text::count_tokens,
        api::text::tech_tokens,
        api::text::tech_token_spans,
        api::transcript::chunk_transcript,
        api::query::analyze_query,
        api::term::domain_terms,
        api::term::add_domain_terms,
        api::term::remove_domain_terms,
        api::term::backfill_tech_tokens
    ]
);
extension_sql_file!(
    "../../sql/74_api_evidence.sql",
    name = "api_evidence",
    requires = [
        "api_text",
        api::evidence::rrf_score,
        api::evidence::rrf_fuse,
        api::evidence::locate_quote,
        api::evidence::check_citations
    ]
);
extension_sql_file!(
    "../../sql/75_api_queue.sql",
    name = "api_queue",
    requires = [
        "api_evidence",
        api::queue::retry_job,
        api::queue::cancel_job,
        api::queue::pause_queue,
        api::queue::resume_queue,
        api::queue::set_budget,
        api::queue::wait_until_idle,
        api::queue::drain,
        api::profile::embedding_profiles_upsert,
        api::profile::embedding_profiles_list,
        api::profile::embedding_health,
        api::profile::embedding_profiles_fill,
        api::profile::embedding_profiles_activate,
        api::profile::admin_reindex_profile,
        api::profile::embed
    ]
);
extension_sql_file!(
    "../../sql/76_api_artifact.sql",
    name = "api_artifact",
    requires = [
        "api_queue",
        api::artifact::artifact_ingest,
        api::artifact::artifact_get,
        api::artifact::artifact_delete,
        api::history::history_append,
        api::history::history_get,
        api::ingest::_ingest_version,
        api::ingest::admin_reingest_version,
        api::audit::memory_audit
    ]
);
extension_sql_file!(
    "../../sql/77_api_lineage.sql",
    name = "api_lineage",
    requires = [
        "api_artifact",
        api::lineage::emit_event,
        api::lineage::get_parent_chain,
        api::lineage::get_child_events,
        api::lineage::get_event_tree,
        api::lineage::calculate_root_uuid,
        api::lineage::root_cause,
        api::lineage::session_timeline,
        api::lineage::resume_context,
        api::lineage::adopt_event_store
    ]
);
extension_sql_file!(
    "../../sql/78_api_retrieve.sql",
    name = "api_retrieve",
    requires = [
        "api_lineage",
        api::retrieve::retrieve,
        api::retrieve::expand,
        api::retrieve::explain_pack,
        api::retrieve::replay_pack,
        api::retrieve::memory_search,
        api::artifact::artifact_search,
        api::artifact::hybrid_search,
        api::retrieve::eval
    ]
);
extension_sql_file!(
    "../../sql/79_api_eval.sql",
    name = "api_eval",
    requires = [
        "api_retrieve",
        api::eval::save_eval_set,
        api::eval::run_eval_set,
        api::eval::compare_profiles,
        api::eval::tune_weights,
        api::eval::set_search_weights
    ]
);
extension_sql_file!(
    "../../sql/79_api_event.sql",
    name = "api_event",
    requires = [
        "api_eval",
        api::chat_profile::chat_profiles_upsert,
        api::chat_profile::chat_profiles_list,
        api::event::_quote_problem,
        api::event::_texts_at,
        api::event::event_search,
        api::event::event_get,
        api::event::event_list_for_revision,
        api::event::event_diff,
        api::extract::event_reextract,
        api::extract::job_status,
        api::extract::estimate_extract,
        api::extract::set_event_extractor,
        api::extract::set_extraction_prompt,
        api::extract::extraction_prompts
    ]
);
extension_sql_file!(
    "../../sql/84_api_rate.sql",
    name = "api_rate",
    requires = ["api_event", api::rate::mcp_admit, api::rate::set_rate_limit]
);
extension_sql_file!("../../sql/85_mcp_catalogue.sql", name = "mcp_catalogue", requires = ["api_rate"]);
extension_sql_file!("../../sql/86_mcp.sql", name = "mcp", requires = ["mcp_catalogue"]);
extension_sql_file!("../../sql/90_dump.sql", name = "dump", requires = ["mcp"]);
extension_sql_file!("../../sql/99_privileges.sql", name = "privileges", finalize);
