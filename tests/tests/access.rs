//! A role sees and writes its own projects, whatever it sets or passes.

use std::collections::BTreeMap;

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use postgres::{Client, SimpleQueryMessage};

/// A word that is only in the victim's project.
const SECRET: &str = "xyzzy-secret";

struct Scene {
    cluster: Cluster,
    database: String,
}

/// `victim` has a project with a memory, `other` has another one, `stranger` has none.
fn scene() -> Scene {
    let cluster = Cluster::start();
    let database = cluster.database();
    for role in ["victim", "other", "stranger"] {
        cluster.connect_as(role, &database);
    }
    let mut admin = cluster.connect(&database);
    admin
        .batch_execute(&format!(
            "select memento.create_project('{SECRET}', '{SECRET}');
             select memento.create_project('own');
             select memento.grant_access('victim', '{SECRET}', 'admin');
             select memento.grant_access('other', 'own', 'admin');"
        ))
        .unwrap();
    let mut victim = cluster.connect_as("victim", &database);
    victim
        .batch_execute(&format!(
            "select memento.use_project('{SECRET}');
             select memento.remember('Decision: {SECRET} lives here', title => '{SECRET}', kind => '{SECRET}', tags => '{{{SECRET}}}',
                                     source_system => '{SECRET}', source_id => '{SECRET}', metadata => '{{\"{SECRET}\": 1}}', retention => '1y', author => '{SECRET}');
             select memento.history_append('{SECRET}', 'user', '{SECRET} lives here');
             select memento.emit_event('{SECRET}', '{{\"{SECRET}\": 1}}', session_id => (select item_id from memento.item limit 1));
             select memento.event_reextract(item_id::text), memento.set_extraction_prompt('extract', '{SECRET} {{{{document}}}}') from memento.item;"
        ))
        .unwrap();
    // By itself: it commits. Somebody has found an event in it then.
    admin.batch_execute("call memento.drain()").unwrap();
    let found = "select 1 from memento.semantic_event";
    memento_tests::eventually("an event is found", || admin.query_opt(found, &[]).unwrap());
    Scene { cluster, database }
}

/// How to call every function of the schema with the victim's project. A function that is not here fails the test.
fn calls(victim_project: &str, victim_item: &str, victim_event: &str) -> BTreeMap<&'static str, Vec<String>> {
    let references = [SECRET.to_owned(), format!("{SECRET}/{SECRET}"), victim_project.to_owned()];
    let each = |call: &dyn Fn(&str) -> String| references.iter().map(|r| call(r)).collect::<Vec<_>>();
    let items = |function: &str| vec![format!("select {function}('{victim_item}')")];
    let events = |function: &str| vec![format!("select * from {function}('{victim_event}')")];
    BTreeMap::from([
        ("admin_reindex_profile", vec!["select memento.admin_reindex_profile('local')".into()]),
        ("cancel_job", vec!["select memento.cancel_job((select min(job_id) from memento.job))".into()]),
        ("drain", vec!["call memento.drain()".into()]),
        ("embed", vec!["select memento.embed(array['a text'])".into()]),
        ("embedding_health", vec!["select memento.embedding_health()".into()]),
        ("embedding_profiles_activate", vec!["select memento.embedding_profiles_activate(null)".into()]),
        ("embedding_profiles_fill", vec!["select memento.embedding_profiles_fill('local')".into()]),
        ("embedding_profiles_list", vec!["select memento.embedding_profiles_list()".into()]),
        (
            "embedding_profiles_upsert",
            vec!["select memento.embedding_profiles_upsert('mine', 'hash', 'm', 8)".into()],
        ),
        ("grant_worker", vec!["select memento.grant_worker('other')".into()]),
        ("job_kinds", vec!["select memento.job_kinds()".into()]),
        ("pause_queue", vec!["select memento.pause_queue()".into()]),
        ("resume_queue", vec!["select memento.resume_queue()".into()]),
        ("retry_job", vec!["select memento.retry_job(1)".into()]),
        ("revoke_worker", vec!["select memento.revoke_worker('victim')".into()]),
        ("set_budget", vec!["select memento.set_budget(0)".into()]),
        ("wait_until_idle", vec!["select memento.wait_until_idle('0')".into()]),
        ("_advance_job", vec![]),
        ("_announce", vec!["select memento._announce()".into()]),
        ("_announce_jobs", vec![]),
        ("_backoff", vec!["select memento._backoff('1 s', 1)".into()]),
        ("_own_job_id", vec!["select memento._own_job_id()".into()]),
        ("_backfill_tokens", vec![format!("select memento._backfill_tokens('{victim_project}', 10)")]),
        ("_bind_model", vec![format!("select memento._bind_model('{victim_project}', 'x')")]),
        ("_calls_model", vec!["select memento._calls_model('embed')".into()]),
        ("_change_worker", vec!["select memento._change_worker('other', true)".into()]),
        (
            "_claim_jobs",
            vec!["select * from memento._claim_jobs('other', 'embed:00000000-0000-0000-0000-000000000001', 9, '1 s')".into()],
        ),
        ("_due_lanes", vec!["select * from memento._due_lanes('other', true)".into()]),
        (
            "_embed_inputs",
            vec![format!(
                "select * from memento._embed_inputs('00000000-0000-0000-0000-000000000001', '{{{victim_project}}}', '{{1}}', '{{1}}', 9)"
            )],
        ),
        ("_enqueue_missing", vec![format!("select memento._enqueue_missing('{victim_project}', '{victim_project}', true)")]),
        ("_enqueue_overlooked", vec!["select memento._enqueue_overlooked()".into()]),
        ("_free_jobs", vec![format!("select memento._free_jobs('{victim_project}', 'infinity')")]),
        ("_waits_until", vec![format!("select memento._waits_until('{victim_project}', 'embed', now())")]),
        ("_enqueue_index", vec![format!("select memento._enqueue_index('{victim_project}')")]),
        ("_want_index", vec![format!("select memento._want_index('{victim_project}')")]),
        (
            "_job_is_whole",
            vec!["select memento._job_is_whole('pending', 0, 0::smallint, 5::smallint, 0::smallint, now(), null, null, null, null)".into()],
        ),
        ("_job_may_become", vec!["select memento._job_may_become('pending', 'running')".into()]),
        ("_name_key", vec!["select memento._name_key('Ana')".into()]),
        ("_name_keys", vec!["select memento._name_keys('{Ana}')".into()]),
        (
            "_extend_leases",
            vec![format!("select memento._extend_leases('{{{victim_project}}}', '{{1}}', '{{1}}', '1 s')")],
        ),
        (
            "_fail_job",
            vec![format!("select memento._fail_job('{victim_project}', 1, 1, 'X', 'x', null, null, true)")],
        ),
        (
            "_finish_embed_jobs",
            vec![format!(
                "select memento._finish_embed_jobs('{victim_project}', '{{{victim_project}}}', '{{1}}', '{{1}}')"
            )],
        ),
        (
            "_finish_jobs",
            vec![format!("select memento._finish_jobs('{{{victim_project}}}', '{{1}}', '{{1}}', array['{{}}'::jsonb])")],
        ),
        ("_heartbeat", vec!["select memento._heartbeat('x', '1', '{}', true, 0, 0, 0, null, '{}')".into()]),
        ("_index_commands", vec![format!("select memento._index_commands('{victim_project}', true)")]),
        ("_index_definition", vec![format!("select memento._index_definition('{victim_project}')")]),
        ("_index_name", vec![format!("select memento._index_name('{victim_project}')")]),
        ("_index_state", vec![format!("select memento._index_state('{victim_project}')")]),
        (
            "_insert_embeddings",
            vec![format!(
                "select memento._insert_embeddings('{victim_project}', 1, '{{{victim_project}}}', '{{1}}', '{{1}}', '{{1}}', '{{1}}')"
            )],
        ),
        ("_keep_profile", vec![]),
        ("_maintain", vec!["select memento._maintain(10)".into()]),
        ("_pause_endpoint", vec!["select memento._pause_endpoint('local', '1 h', 'X', 'x')".into()]),
        ("_paused_endpoints", vec!["select * from memento._paused_endpoints()".into()]),
        ("_period_start", vec!["select memento._period_start('day')".into()]),
        ("_period_end", vec!["select memento._period_end('day')".into()]),
        ("_pause_covers", vec!["select memento._pause_covers('*', 'embed')".into()]),
        ("_overlooked_lanes", vec!["select * from memento._overlooked_lanes()".into()]),
        ("_free_overlooked", vec!["select memento._free_overlooked()".into()]),
        ("_free_unbudgeted", vec!["select memento._free_unbudgeted()".into()]),
        ("_queue_depths", vec!["select * from memento._queue_depths()".into()]),
        (
            "_record_usage",
            vec![format!(
                "select memento._record_usage('{victim_project}', 'embed', 'p', 'm', 'e', 'ok', 1, 1, 1, 1, 1, 1)"
            )],
        ),
        ("_recover_jobs", vec!["select memento._recover_jobs('background')".into()]),
        ("_refuse_job_form", vec![]),
        ("_refuse_job_state", vec![]),
        ("_release_jobs", vec![format!("select memento._release_jobs('{{{victim_project}}}', '{{1}}', '{{1}}', '0')")]),
        ("_rules_version", vec!["select memento._rules_version()".into()]),
        ("_run_job", vec![format!("select memento._run_job('{victim_project}', 1, 1)")]),
        ("_settle_budget", vec![format!("select memento._settle_budget('{victim_project}', 1)")]),
        (
            "_store_embeddings",
            vec![format!(
                "select memento._store_embeddings('{victim_project}', '{{{victim_project}}}', '{{1}}', '{{1}}', '{{1}}', '{{1}}')"
            )],
        ),
        ("_sweep_jobs", vec!["select memento._sweep_jobs('0', '0', 1000)".into()]),
        ("_unpause_models", vec!["select memento._unpause_models()".into()]),
        ("_wake_worker", vec!["select memento._wake_worker()".into()]),
        ("_with_error", vec!["select memento._with_error('[]', 1, 'X', 'x', null)".into()]),
        ("health_check", vec!["select memento.health_check()".into()]),
        ("mcp_admit", vec!["select memento.mcp_admit('recall')".into()]),
        (
            "mcp_call",
            vec![
                format!(r#"select memento.mcp_call('memory.get', '{{"item_id": "{victim_item}"}}')"#),
                r#"select memento.mcp_call('recall', '{"query": "lives here"}')"#.into(),
                "select memento.mcp_call('memory.list')".into(),
            ],
        ),
        (
            "mcp_check",
            vec![r#"select memento.mcp_check('memento.count_tokens(text)'::regprocedure, '{"content": "x"}')"#.into()],
        ),
        (
            "mcp_read",
            vec![format!("select memento.mcp_read('memory://projects/{victim_project}/items/{victim_item}')")],
        ),
        ("mcp_resource_templates", vec!["select * from memento.mcp_resource_templates()".into()]),
        ("mcp_resources", vec!["select memento.mcp_resources()".into()]),
        (
            "mcp_states",
            vec![format!(
                "select state from memento.mcp_states('{{memory://projects/{victim_project}/items/{victim_item}}}') where state is not null"
            )],
        ),
        ("mcp_tools", vec!["select * from memento.mcp_tools('all')".into()]),
        ("set_rate_limit", vec!["select memento.set_rate_limit('recall', 0)".into()]),
        ("add_domain_terms", vec!["select memento.add_domain_terms(array['planted'])".into()]),
        ("admin_reingest_version", items("memento.admin_reingest_version")),
        (
            "adopt_event_store",
            vec![
                "select memento.adopt_event_store('memento.event_store')".into(),
                r#"select memento.adopt_event_store('memento.item', '{"event_id": "item_id", "event_type": "title"}')"#
                    .into(),
            ],
        ),
        ("calculate_root_uuid", events("memento.calculate_root_uuid")),
        (
            "emit_event",
            vec![
                "select memento.emit_event('planted')".into(),
                format!("select memento.emit_event('planted', parent_uuid => '{victim_event}')"),
                format!("select memento.emit_event('planted', event_id => '{victim_event}')"),
            ],
        ),
        ("get_child_events", events("memento.get_child_events")),
        ("get_event_tree", events("memento.get_event_tree")),
        ("get_parent_chain", events("memento.get_parent_chain")),
        ("resume_context", events("memento.resume_context")),
        ("root_cause", events("memento.root_cause")),
        ("session_timeline", vec![format!("select * from memento.session_timeline('{victim_item}')")]),
        ("_bm25", vec![]),
        ("_count_words", vec![format!("select memento._count_words('{victim_project}', 10)")]),
        ("_counts", vec![format!("select memento._counts('{victim_project}', '{victim_item}')")]),
        ("_lock_counting", vec![format!("select memento._lock_counting('{victim_project}', false)")]),
        ("_note_change", vec![format!("select memento._note_change('{victim_project}', '{victim_item}')")]),
        ("_note_new_chunks", vec![]),
        ("_note_superseded", vec![]),
        ("_uncount_deleted", vec![]),
        ("_word_count", vec![]),
        ("_words", vec![]),
        ("_words_among", vec![]),
        ("disable_bm25", vec!["select memento.disable_bm25()".into()]),
        ("enable_bm25", vec!["select memento.enable_bm25()".into()]),
        ("analyze_query", vec!["select memento.analyze_query('who said what last week')".into()]),
        ("artifact_delete", items("memento.artifact_delete")),
        ("artifact_get", items("memento.artifact_get")),
        (
            "artifact_ingest",
            vec![format!(
                "select memento.artifact_ingest('doc', '{SECRET}', 'planted', source_id => '{SECRET}')"
            )],
        ),
        ("backfill_tech_tokens", vec!["select memento.backfill_tech_tokens()".into()]),
        ("canonical_get", vec![format!("select memento.canonical_get('{SECRET}')")]),
        (
            "canonical_get_section",
            vec![format!("select memento.canonical_get_section('{SECRET}', '{SECRET}')")],
        ),
        ("canonical_outline", vec![format!("select memento.canonical_outline('{SECRET}')")]),
        ("canonical_upsert", vec![format!("select memento.canonical_upsert('{SECRET}', 'planted')")]),
        ("canonical_context_pack", vec!["select memento.canonical_context_pack()".into()]),
        ("capabilities", vec!["select memento.capabilities()".into()]),
        ("check_citations", vec!["select memento.check_citations('It is so [Q-1].', '{Q-1}')".into()]),
        ("chunk_markdown", vec!["select memento.chunk_markdown('a text')".into()]),
        ("chunk_transcript", vec![r#"select memento.chunk_transcript('[{"text": "hello"}]')"#.into()]),
        ("count_tokens", vec!["select memento.count_tokens('a text')".into()]),
        ("create_project", vec![format!("select memento.create_project('mine', '{SECRET}')")]),
        ("current_project", vec!["select memento.current_project()".into()]),
        ("doctor", vec!["select * from memento.doctor()".into()]),
        ("domain_terms", vec!["select memento.domain_terms()".into()]),
        (
            "forget",
            vec![
                format!("select memento.forget(source_system => '{SECRET}', whole_source => true)"),
                format!("select memento.forget(subject => '{SECRET}')"),
                format!("select memento.forget(conversation_id => '{SECRET}')"),
                "select memento.forget(whole_project => true)".into(),
            ],
        ),
        ("grant_access", each(&|r| format!("select memento.grant_access('other', '{r}', 'read')"))),
        ("history_append", vec![format!("select memento.history_append('{SECRET}', 'user', 'planted')")]),
        ("history_get", vec![format!("select memento.history_get('{SECRET}') - 'conversation_id'")]),
        ("locate_quote", vec!["select memento.locate_quote('a text', 'text')".into()]),
        ("memory_archive", items("memento.memory_archive")),
        ("memory_audit", vec!["select memento.memory_audit()".into()]),
        ("memory_commit", vec![r#"select memento.memory_commit('[{"content": "planted"}]')"#.into()]),
        ("memory_delete", items("memento.memory_delete")),
        ("memory_diff", vec![format!("select memento.memory_diff('{victim_item}', 1)")]),
        ("memory_diff_lines", vec![format!("select memento.memory_diff_lines('{victim_item}', 1)")]),
        ("memory_get", items("memento.memory_get")),
        ("memory_history", items("memento.memory_history")),
        (
            "memory_list",
            vec![
                format!("select memento.memory_list('{{\"item_ids\": [\"{victim_item}\"]}}')"),
                "select memento.memory_list()".into(),
            ],
        ),
        (
            "memory_link",
            vec![format!("select memento.memory_link('{victim_item}', '{victim_project}', 'r')")],
        ),
        ("memory_pin", items("memento.memory_pin")),
        ("memory_resolve", items("memento.memory_resolve")),
        ("memory_restore", vec![format!("select memento.memory_restore('{victim_item}', 1)")]),
        ("memory_store", vec!["select memento.memory_store('planted')".into()]),
        ("memory_search", vec![format!("select memento.memory_search('{SECRET} lives here')")]),
        ("hybrid_search", vec![format!("select memento.hybrid_search('{SECRET} lives here')")]),
        ("artifact_search", vec![format!("select memento.artifact_search('{SECRET} lives here')")]),
        ("retrieve", vec!["select memento.retrieve('lives here', debug => true)".into()]),
        ("expand", vec!["select memento.expand('Q-1')".into(), "select memento.expand('A-1', 100)".into()]),
        (
            "explain_pack",
            vec!["select memento.explain_pack((select pack_id from memento.evidence_pack limit 1))".into()],
        ),
        (
            "replay_pack",
            vec!["select memento.replay_pack((select pack_id from memento.evidence_pack limit 1))".into()],
        ),
        ("eval", vec!["select memento.eval('[{\"query\": \"lives here\", \"relevant\": [1]}]')".into()]),
        (
            "save_eval_set",
            vec!["select memento.save_eval_set('s', '[{\"query\": \"lives here\", \"relevant\": [1]}]')".into()],
        ),
        (
            "tune_weights",
            vec![
                "select memento.tune_weights((select jsonb_agg(jsonb_build_object('query', 'lives here ' || n, 'relevant', '[1]'::jsonb)) from generate_series(1, 40) n))".into(),
                "select memento.tune_weights(eval_set => 's')".into(),
            ],
        ),
        ("set_search_weights", vec!["select memento.set_search_weights('{\"semantic\": 0}')".into()]),
        ("run_eval_set", vec!["select * from memento.run_eval_set('s')".into()]),
        (
            "compare_profiles",
            vec!["select * from memento.compare_profiles('s', 'default', 'default')".into()],
        ),
        ("memory_unpin", items("memento.memory_unpin")),
        ("outline", vec!["select memento.outline('# a heading')".into()]),
        ("projects_list", vec!["select memento.projects_list()".into()]),
        (
            "projects_resolve",
            vec![
                format!("select memento.projects_resolve('{SECRET}', display_name => '{SECRET}')"),
                format!(
                    "select memento.projects_resolve('{SECRET}', '/{SECRET}', create_if_missing => true)"
                ),
            ],
        ),
        ("readable_projects", vec!["select memento.readable_projects()".into()]),
        ("recall", vec![format!("select * from memento.recall('{SECRET} lives here')")]),
        ("remember", vec!["select memento.remember('planted')".into()]),
        ("remove_domain_terms", vec!["select memento.remove_domain_terms(array['vs'])".into()]),
        ("retention_due", vec!["select * from memento.retention_due('infinity')".into()]),
        ("revoke_access", each(&|r| format!("select memento.revoke_access('victim', '{r}')"))),
        ("rrf_fuse", vec!["select memento.rrf_fuse('{\"a\": [1, 2]}')".into()]),
        ("rrf_score", vec!["select memento.rrf_score(1)".into()]),
        (
            "search",
            vec![
                format!("select * from memento.search('{SECRET} lives here')"),
                "select * from memento.search('lives here', 1000, '{}', now())".into(),
            ],
        ),
        ("sessions_end", items("memento.sessions_end")),
        ("sessions_start", vec!["select memento.sessions_start('planted')".into()]),
        ("set_secret_policy", vec!["select memento.set_secret_policy('ignore')".into()]),
        ("tech_token_spans", vec!["select memento.tech_token_spans('PAY-4012')".into()]),
        ("tech_tokens", vec!["select memento.tech_tokens('PAY-4012')".into()]),
        ("verify_forgotten", vec![format!("select memento.verify_forgotten('{victim_item}')")]),
        ("use_project", each(&|r| format!("select memento.use_project('{r}')"))),
        ("version", vec!["select memento.version()".into()]),
        ("wait_until_running", vec!["select memento.wait_until_running('0')".into()]),
        ("worker_slots", vec!["select * from memento.worker_slots()".into()]),
        ("workers_heard_of", vec!["select * from memento.workers_heard_of()".into()]),
        ("writable_projects", vec!["select memento.writable_projects()".into()]),
        (
            "event_search",
            vec![
                "select memento.event_search('lives here')".into(),
                format!("select memento.event_search(artifact_uid => '{victim_item}')"),
                "select memento.event_search()".into(),
            ],
        ),
        (
            "event_get",
            vec!["select memento.event_get((select event_id from memento.semantic_event limit 1))".into()],
        ),
        (
            "event_list_for_revision",
            vec![format!("select memento.event_list_for_revision('{victim_item}', include_evidence => true)")],
        ),
        ("event_diff", vec![format!("select memento.event_diff('{victim_item}', 'rev_0000000000000000')")]),
        ("event_reextract", vec![format!("select memento.event_reextract('{victim_item}', force => true)")]),
        ("job_status", items("memento.job_status")),
        ("estimate_extract", items("memento.estimate_extract")),
        ("set_event_extractor", vec!["select memento.set_event_extractor('rules')".into()]),
        ("set_extraction_prompt", vec!["select memento.set_extraction_prompt('extract', 'planted')".into()]),
        ("extraction_prompts", vec!["select memento.extraction_prompts()".into()]),
        ("chat_profiles_upsert", vec!["select memento.chat_profiles_upsert('mine', 'openai', 'm')".into()]),
        ("chat_profiles_list", vec!["select memento.chat_profiles_list()".into()]),
        ("_check_event", vec![]),
        ("_check_evidence", vec![]),
        ("_check_applied_event", vec![]),
        ("_check_applied_evidence", vec![]),
        ("_delete_evidence", vec![]),
        ("_delete_unmentioned", vec![]),
        ("_entity_id", vec![]),
        (
            "_evidence_shown",
            vec!["select n.shown from memento.semantic_event e, memento._evidence_shown(e.project_id, e.event_id) n".into()],
        ),
        (
            "_event_shown",
            vec!["select memento._event_shown(e, true) from memento.semantic_event e".into()],
        ),
        ("_event_key", vec![]),
        ("_event_keys", vec![]),
        ("_weeks", vec![]),
        ("_names", vec![]),
        ("_quote_problem", vec![]),
        ("_texts_at", vec![]),
        ("_refs", vec![]),
        ("_refuse_evidence", vec![]),
        ("_require_evidence", vec![]),
        (
            "_require_quotes",
            vec![format!(
                "select memento._require_quotes('{victim_project}', '{victim_item}', '{{u}}', '{{r}}', '{{0}}', '{{1}}', '{{x}}')"
            )],
        ),
        ("_utc", vec![]),
        (
            "_chunks_of",
            vec![format!("select * from memento._chunks_of('{victim_project}', '{victim_item}', '{{0}}', '{{1}}')")],
        ),
        (
            "_extraction_input",
            vec![format!("select * from memento._extraction_input('{victim_project}', 1, 1)")],
        ),
        ("_lane", vec![format!("select memento._lane('{victim_project}', 'extract_events')")]),
        ("_link_evidence", vec![format!("select memento._link_evidence('{victim_project}', '{victim_item}')")]),
        ("_sweep_runs", vec![format!("select memento._sweep_runs('{victim_project}', '{victim_item}', 1000000)")]),
        (
            "_store_events",
            vec![format!("select memento._store_events('{victim_project}', 1, 1, 'x', '[]', '[]', '{{}}')")],
        ),
        (
            "_replace_events",
            vec![format!(
                "select memento._replace_events('{victim_project}', '{victim_item}', 'u', 'r', '{victim_item}', 'x', '[]')"
            )],
        ),
        (
            "_store_mentions",
            vec![format!("select memento._store_mentions('{victim_project}', '{victim_item}', 'x', '[]')")],
        ),
        ("_apply_retention", vec!["select memento._apply_retention(1000)".into()]),
        ("_artifact_id", vec![]),
        ("_chunk_name", vec![]),
        (
            "_count_below",
            vec![format!("select memento._count_below('{victim_project}', '{{{victim_item}}}')")],
        ),
        (
            "_count_left",
            vec![format!("select memento._count_left('{victim_project}', '{{{victim_item}}}', '{{}}')")],
        ),
        ("_grant_use", vec!["select memento._grant_use('other')".into()]),
        ("_sweep_packs", vec!["select memento._sweep_packs('0', 10)".into()]),
        ("_held_roles", vec!["select memento._held_roles('victim'::regrole)".into()]),
        (
            "_event_tree",
            vec![format!("select * from memento._event_tree('{victim_project}', '{victim_event}', 9, 9)")],
        ),
        (
            "_parent_chain",
            vec![format!("select * from memento._parent_chain('{victim_project}', '{victim_event}', 9)")],
        ),
        ("_move_subtrees", vec![]),
        ("named_items", vec!["select memento.named_items('{}')".into()]),
        ("_record_job", vec![]),
        ("new_event_id", vec!["select memento.new_event_id()".into()]),
        ("_place_event", vec![]),
        ("_replace_event", vec![]),
        ("_release_children", vec![]),
        ("_settle_events", vec![]),
        ("_check_version_hash", vec![]),
        (
            "_ingest_version",
            vec![format!("select memento._ingest_version('{victim_project}', '{victim_item}')")],
        ),
        ("_keep_default_project", vec![]),
        ("_keep_default_workspace", vec![]),
        ("_keep_version", vec![]),
        ("_load_library", vec![]),
        ("_refuse_default", vec![]),
        ("_revision_id", vec![]),
        ("_revoke_use_from_stranger", vec!["select memento._revoke_use_from_stranger('victim')".into()]),
    ])
}

fn text_column(client: &mut Client, query: &str) -> Vec<String> {
    client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// Everything that a statement gives back: rows, or the error in full.
fn answer(client: &mut Client, statement: &str) -> String {
    match client.simple_query(statement) {
        Ok(messages) => messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(
                    (0..row.len()).map(|i| row.get(i).unwrap_or("").to_owned()).collect::<Vec<_>>().join("|"),
                ),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Err(error) => match error.as_db_error() {
            Some(error) => {
                format!("{} {} {:?} {:?}", error.code().code(), error.message(), error.detail(), error.hint())
            }
            None => panic!("{statement}: {error}"),
        },
    }
}

#[test]
fn no_function_and_no_table_shows_another_project() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    let project: String = admin
        .query_one("select project_id::text from memento.project where name = $1", &[&SECRET])
        .unwrap()
        .get(0);
    let item: String = admin
        .query_one("select item_id::text from memento.item where project_id = $1::text::uuid", &[&project])
        .unwrap()
        .get(0);
    let event: String = admin
        .query_one(
            "select event_id::text from memento.event_store where project_id = $1::text::uuid",
            &[&project],
        )
        .unwrap()
        .get(0);
    let calls = calls(&project, &item, &event);
    let functions = text_column(
        &mut admin,
        "select distinct proname::text from pg_proc where pronamespace = 'memento'::regnamespace order by 1",
    );
    let tables = text_column(
        &mut admin,
        "select relname::text from pg_class where relnamespace = 'memento'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'S')",
    );

    for role in ["other", "stranger"] {
        let mut client = scene.cluster.connect_as(role, &scene.database);
        for setting in ["", SECRET, project.as_str()] {
            for function in &functions {
                let statements = calls
                    .get(function.as_str())
                    .unwrap_or_else(|| panic!("no call of {function} here: add one"));
                for statement in statements {
                    answer(&mut client, &format!("set memento.project = '{setting}'"));
                    let answer = answer(&mut client, statement);
                    // An error may repeat what the caller wrote, nothing else.
                    let answer = answer
                        .replace(&format!("\"{SECRET}\""), "")
                        .replace(&format!("\"{SECRET}/{SECRET}\""), "");
                    let hint_free = answer.replace(&format!("'{SECRET}'"), "");
                    assert!(!hint_free.contains(SECRET), "{role}, {statement}: {hint_free}");
                    assert!(!answer.contains("lives here"), "{role}, {statement}: {answer}");
                    assert!(!answer.contains("XX000"), "{role}, {statement}: {answer}");
                }
            }
            for table in &tables {
                let answer = answer(&mut client, &format!("select * from memento.{table}"));
                assert!(
                    !answer.contains(SECRET) && !answer.contains(&project),
                    "{role} reads {table}: {answer}"
                );
            }
        }
    }
    let planted: i64 = admin
        .query_one("select count(*) from memento.item i where i.project_id = $1::text::uuid", &[&project])
        .unwrap()
        .get(0);
    assert_eq!(planted, 1, "somebody wrote into the victim's project");
    let planted: i64 = admin
        .query_one("select count(*) from memento.event_store where project_id = $1::text::uuid", &[&project])
        .unwrap()
        .get(0);
    assert_eq!(planted, 1, "somebody recorded an event in the victim's project");
    let members = text_column(
        &mut admin,
        &format!("select role_name::text from memento.project_member where project_id = '{project}'"),
    );
    assert_eq!(members, ["victim"]);
}

#[test]
fn a_stranger_can_do_nothing_at_all() {
    let scene = scene();
    let mut stranger = scene.cluster.connect_as("stranger", &scene.database);
    for statement in [
        "select memento.version()",
        "select memento.remember('x')",
        "select * from memento.recall('x')",
        "select * from memento.project",
        "select 'read'::memento.access_level",
        "create table memento.mine (x int)",
    ] {
        assert_eq!(failure(stranger.batch_execute(statement)).code().code(), "42501", "{statement}");
    }
}

/// Whoever is given table privileges by hand is still held by the policies.
#[test]
fn policies_hold_when_an_administrator_grants_everything() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute("grant all on schema memento to other; grant all on all tables in schema memento to other; grant all on all sequences in schema memento to other")
        .unwrap();
    let project: String = admin
        .query_one("select project_id::text from memento.project where name = $1", &[&SECRET])
        .unwrap()
        .get(0);
    let mut other = scene.cluster.connect_as("other", &scene.database);
    for table in ["item", "version", "chunk", "event_store", "project", "project_member", "workspace"] {
        let answer = answer(&mut other, &format!("select * from memento.{table}"));
        assert!(!answer.contains(SECRET), "{table}: {answer}");
    }
    assert_eq!(other.execute("delete from memento.version", &[]).unwrap(), 0);
    assert_eq!(other.execute("update memento.item set title = 'mine'", &[]).unwrap(), 0);
    assert_eq!(other.execute("update memento.event_store set event_type = 'mine'", &[]).unwrap(), 0);
    assert_eq!(other.execute("delete from memento.event_store", &[]).unwrap(), 0);
    assert_eq!(
        other.execute("delete from memento.project_member where role_name <> 'other'", &[]).unwrap(),
        0
    );
    for statement in [
        format!("insert into memento.item (project_id) values ('{project}')"),
        format!("insert into memento.event_store (project_id, event_type) values ('{project}', 'x')"),
        format!(
            "insert into memento.event_store (project_id, event_type, parent_uuid) values ('{project}', 'x', gen_random_uuid())"
        ),
        format!(
            "insert into memento.project_member (project_id, role_name, level) values ('{project}', 'other', 'admin')"
        ),
        "insert into memento.project (workspace_id, name) select workspace_id, 'x' from memento.project"
            .to_owned(),
    ] {
        assert_eq!(failure(other.batch_execute(&statement)).code().code(), "42501", "{statement}");
    }
    // A view or function of its own does not help either.
    other
        .batch_execute(
            "create temporary view peek as select * from memento.item; select memento.use_project('own')",
        )
        .unwrap();
    assert!(!answer(&mut other, "select * from peek").contains(SECRET));
}

#[test]
fn the_owner_of_the_tables_is_held_by_the_policies_too() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute("grant usage on schema memento to other; alter table memento.item owner to other")
        .unwrap();
    let mut other = scene.cluster.connect_as("other", &scene.database);
    let seen: i64 = other.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(seen, 0);
}

/// A function of somebody else that is SECURITY DEFINER acts with its owner's membership, not with the caller's:
/// else it could be used to borrow the rights of whoever calls it.
#[test]
fn a_security_definer_function_does_not_borrow_its_callers_rights() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin.batch_execute("grant create on schema public to other").unwrap();
    let mut other = scene.cluster.connect_as("other", &scene.database);
    other
        .batch_execute(&format!(
            "create function public.trick() returns void language sql security definer
               as $$ select memento.grant_access('other', '{SECRET}', 'admin') $$;
             grant execute on function public.trick() to public"
        ))
        .unwrap();
    let mut victim = scene.cluster.connect_as("victim", &scene.database);
    assert_failure(victim.batch_execute("select public.trick()"), "42501", "FORBIDDEN");
    assert_failure(admin.batch_execute("select public.trick()"), "42501", "FORBIDDEN");
}

#[test]
fn levels_allow_what_they_say() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin.batch_execute("select memento.grant_access('stranger', 'own', 'read')").unwrap();
    let mut client = scene.cluster.connect_as("stranger", &scene.database);
    client.batch_execute("select memento.use_project('own'); select * from memento.recall('x')").unwrap();
    assert_failure(client.batch_execute("select memento.remember('x')"), "42501", "FORBIDDEN");
    assert_failure(
        client.batch_execute("select memento.grant_access('stranger', 'own', 'admin')"),
        "42501",
        "FORBIDDEN",
    );

    admin.batch_execute("select memento.grant_access('stranger', 'own', 'write')").unwrap();
    client.batch_execute("select memento.remember('x')").unwrap();
    assert_failure(
        client.batch_execute("select memento.revoke_access('other', 'own')"),
        "42501",
        "FORBIDDEN",
    );
    assert_failure(client.batch_execute("select memento.create_project('new')"), "42501", "FORBIDDEN");

    // An admin who is no superuser can give access and make projects in the workspace.
    let mut other = scene.cluster.connect_as("other", &scene.database);
    other.batch_execute("select memento.grant_access('stranger', 'own', 'admin'); select memento.create_project('new'); select memento.use_project('new'); select memento.remember('y')").unwrap();
    client.batch_execute("select memento.revoke_access('stranger', 'own')").unwrap();
    assert_eq!(failure(client.batch_execute("select memento.version()")).code().code(), "42501");
}

#[test]
fn access_is_inherited_as_privileges_are() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute(
            "create role team; select memento.grant_access('team', 'own', 'write');
             grant team to stranger; create role outer_team; grant outer_team to stranger",
        )
        .unwrap();
    let mut client = scene.cluster.connect_as("stranger", &scene.database);
    client
        .batch_execute("select memento.use_project('own'); select memento.remember('from a team member')")
        .unwrap();
    admin.batch_execute("revoke team from stranger").unwrap();
    assert_eq!(failure(client.batch_execute("select memento.remember('x')")).code().code(), "42501");
}

#[test]
fn a_role_with_access_cannot_be_dropped_and_its_name_not_be_taken_over() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin.batch_execute("create role leaver; select memento.grant_access('leaver', 'own', 'write')").unwrap();
    assert_eq!(failure(admin.batch_execute("drop role leaver")).code().code(), "2BP01");
    admin.batch_execute("select memento.revoke_access('leaver', 'own'); drop role leaver").unwrap();

    // By force: the membership outlives the role, and the doctor says so.
    admin.batch_execute("create role leaver; select memento.grant_access('leaver', 'own', 'write'); drop owned by leaver; drop role leaver").unwrap();
    let row = admin
        .query_one("select status, detail from memento.doctor() where check_name = 'members'", &[])
        .unwrap();
    assert_eq!((row.get(0), row.get(1)), ("warn", "members whose role does not exist: leaver"));
    admin.batch_execute("select memento.revoke_access('leaver', 'own')").unwrap();
}

#[test]
fn what_an_administrator_adds_to_the_schema_is_not_given_away() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    admin
        .batch_execute(
            "create function memento.helper() returns int language sql as 'select 1';
             revoke all on function memento.helper() from public;
             create table memento.notes (x int);
             select memento.grant_access('stranger', 'own', 'admin')",
        )
        .unwrap();
    let mut client = scene.cluster.connect_as("stranger", &scene.database);
    for statement in ["select memento.helper()", "select * from memento.notes"] {
        assert_eq!(failure(client.batch_execute(statement)).code().code(), "42501", "{statement}");
    }
}

/// Role names that need quoting, in every statement that is made from them.
#[test]
fn strange_role_names_are_quoted() {
    let scene = scene();
    let mut admin = scene.cluster.connect(&scene.database);
    for name in ["Mixed Case", "semi;colon", "quo\"te", "o'brien", "select"] {
        let identifier = name.replace('"', "\"\"");
        let literal = name.replace('\'', "''");
        admin.batch_execute(&format!("create role \"{identifier}\"")).unwrap();
        admin.batch_execute(&format!("select memento.grant_access('{literal}', 'own', 'write')")).unwrap();
        admin.batch_execute(&format!("set role \"{identifier}\"; select memento.use_project('own'); select memento.remember('x'); reset role")).unwrap();
        admin
            .batch_execute(&format!(
                "select memento.revoke_access('{literal}', 'own'); drop role \"{identifier}\""
            ))
            .unwrap();
    }
}
