-- pg_dump leaves out the rows of an extension's tables, and the values of its sequences, unless they are here.
-- Not what is counted of words: it is derived, and counted anew (32_lexical.sql).
-- The built-in profile is there wherever the extension is.
select pg_catalog.pg_extension_config_dump('memento.embedding_profile', 'where profile_id <> ''00000000-0000-0000-0000-000000000001''');
select pg_catalog.pg_extension_config_dump('memento.chat_profile', '');
select pg_catalog.pg_extension_config_dump('memento.workspace', '');
select pg_catalog.pg_extension_config_dump('memento.project', '');
select pg_catalog.pg_extension_config_dump('memento.project_member', '');
select pg_catalog.pg_extension_config_dump('memento.domain_term', '');
select pg_catalog.pg_extension_config_dump('memento.session', '');
select pg_catalog.pg_extension_config_dump('memento.commit', '');
select pg_catalog.pg_extension_config_dump('memento.item', '');
select pg_catalog.pg_extension_config_dump('memento.version', '');
select pg_catalog.pg_extension_config_dump('memento.artifact_revision', '');
select pg_catalog.pg_extension_config_dump('memento.history_turn', '');
select pg_catalog.pg_extension_config_dump('memento.link', '');
select pg_catalog.pg_extension_config_dump('memento.chunk', '');
select pg_catalog.pg_extension_config_dump('memento.erasure', '');
select pg_catalog.pg_extension_config_dump('memento.chunk_id_seq', '');
select pg_catalog.pg_extension_config_dump('memento.chunk_embedding', '');
-- Jobs that the worker asks for itself come back by themselves.
select pg_catalog.pg_extension_config_dump('memento.job', 'where job_id > 0');
select pg_catalog.pg_extension_config_dump('memento.job_id_seq', '');
select pg_catalog.pg_extension_config_dump('memento.queue_pause', '');
select pg_catalog.pg_extension_config_dump('memento.usage_ledger', '');
select pg_catalog.pg_extension_config_dump('memento.call_id_seq', '');
select pg_catalog.pg_extension_config_dump('memento.budget', '');
select pg_catalog.pg_extension_config_dump('memento.event_store', '');
select pg_catalog.pg_extension_config_dump('memento.event_sequence_num_seq', '');
select pg_catalog.pg_extension_config_dump('memento.evidence_pack', '');
select pg_catalog.pg_extension_config_dump('memento.eval_set', '');
select pg_catalog.pg_extension_config_dump('memento.eval_run', '');
select pg_catalog.pg_extension_config_dump('memento.extraction_prompt', '');
select pg_catalog.pg_extension_config_dump('memento.event_evidence', '');
select pg_catalog.pg_extension_config_dump('memento.semantic_event', '');
select pg_catalog.pg_extension_config_dump('memento.entity', '');
select pg_catalog.pg_extension_config_dump('memento.entity_mention', '');
-- Not the calls that were counted: they are of the last day at most.
select pg_catalog.pg_extension_config_dump('memento.rate_limit', '');
