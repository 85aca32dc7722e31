-- Canonical documents.
select memento.create_project('canonical') is not null as made, memento.use_project('canonical') is not null as used;
\set plan '# Plan\n\nWhat we do.\n\n## Storage\n\nPostgres keeps the events.\n\n### Partitions\n\nBy month.\n\n## Deploys\n\nOn Tuesdays.\n'
select r ->> 'status' as status, r -> 'version_num' as version_num
  from memento.canonical_upsert('plan/main', :'plan', title => 'Plan', doc_class => 'implementation_plan', tags => array['plan']) r;
select memento.canonical_upsert('plan/main', :'plan') ->> 'status' as status;
select memento.canonical_upsert('plan/main', :'plan' || E'\n## Rollback\n\nAt any time.\n', title => 'The plan') ->> 'status' as status;
select memento.canonical_upsert('app/spec', E'# App\n\nIt remembers.') ->> 'status' as status;
select d ->> 'title' as title, d ->> 'doc_class' as doc_class, d -> 'tags' as tags, d -> 'version_num' as version_num, d ->> 'canonical_key' as key
  from memento.canonical_get('plan/main') d;
select memento.canonical_get('plan/main', 1) ->> 'content' = :'plan' as first_version;
select * from memento.canonical_outline('plan/main');
select s - 'content' as section, s ->> 'content' as content from memento.canonical_get_section('plan/main', 'storage') s;
select s ->> 'content' as content from memento.canonical_get_section('plan/main', 'storage', with_subsections => false) s;
select bool_and(substr(d ->> 'content', (s ->> 'start_char')::int + 1, (s ->> 'end_char')::int - (s ->> 'start_char')::int) = s ->> 'content') as exact
  from memento.canonical_get('plan/main') d, memento.canonical_outline('plan/main') o, memento.canonical_get_section('plan/main', o.section_anchor) s;
select p -> 'tokens' as tokens, jsonb_path_query_array(p, '$.chunks[*].section_anchor') as sections, p -> 'left_out' as left_out
  from memento.canonical_context_pack(1000) p;
select p -> 'tokens' as tokens, jsonb_path_query_array(p, '$.chunks[*].section_anchor') as sections, p -> 'left_out' as left_out
  from memento.canonical_context_pack(20, 'when do we deploy? Tuesdays') p;
select p -> 'tokens' as tokens, jsonb_array_length(p -> 'chunks') as chunks from memento.canonical_context_pack(1000, canonical_keys => array['app/spec']) p;
select count(*) from memento.search('events', filters => '{"canonical_only": true}');

-- Refused.
select memento.canonical_get('nothing');
select memento.canonical_get('plan/main', 99);
select memento.canonical_get_section('plan/main', 'nowhere');
select memento.canonical_upsert(null, 'x');
select memento.canonical_upsert(' ', 'x');
select memento.canonical_upsert('k', null);
select memento.canonical_context_pack(0);
