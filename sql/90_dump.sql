-- pg_dump leaves out the rows of an extension's tables, and the values of its sequences, unless they are here.
select pg_catalog.pg_extension_config_dump('memento.workspace', '');
select pg_catalog.pg_extension_config_dump('memento.project', '');
select pg_catalog.pg_extension_config_dump('memento.project_member', '');
select pg_catalog.pg_extension_config_dump('memento.domain_term', '');
select pg_catalog.pg_extension_config_dump('memento.session', '');
select pg_catalog.pg_extension_config_dump('memento.commit', '');
select pg_catalog.pg_extension_config_dump('memento.item', '');
select pg_catalog.pg_extension_config_dump('memento.version', '');
select pg_catalog.pg_extension_config_dump('memento.link', '');
select pg_catalog.pg_extension_config_dump('memento.chunk', '');
select pg_catalog.pg_extension_config_dump('memento.erasure', '');
select pg_catalog.pg_extension_config_dump('memento.chunk_id_seq', '');
select pg_catalog.pg_extension_config_dump('memento.event_store', '');
select pg_catalog.pg_extension_config_dump('memento.event_sequence_num_seq', '');
