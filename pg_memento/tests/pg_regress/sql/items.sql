-- What can be done with an item that exists.
select memento.create_project('items') is not null as made, memento.use_project('items') is not null as used;
select memento.remember('first', title => 'Note', source_system => 's', source_id => '1') ->> 'item_id' as item \gset
select memento.remember('second', source_system => 's', source_id => '1') ->> 'status' as status;
select memento.memory_get(:'item') - 'item_id' - 'version_id' - 'created_at' - 'version_created_at' - 'superseded_at' as latest;
select memento.memory_get(:'item', 1) ->> 'content' as old;
select memento.memory_get(:'item', as_of => v.created_at) ->> 'content' as as_of
  from memento.version v where v.item_id = :'item' order by version_num;

-- One version ends when the next begins.
select memento.memory_get(:'item', as_of => v.superseded_at) ->> 'content' as at_the_seam
  from memento.version v where v.item_id = :'item' and v.version_num = 1;

-- The kind of the item decides how it is cut.
select r ->> 'status' as status, r -> 'chunks' as chunks
  from unnest(array[E'- a\n- b', E'- a\n- c', E'- a\n- c']) c,
       memento.remember(c, kind => case when c like '%b' then 'action_items' else 'note' end, source_system => 's', source_id => 'list') r;

-- History, page by page.
select memento.remember('third', source_system => 's', source_id => '1') ->> 'version_num' as version_num;
select h -> 'total' as total, h -> 'next_before' as next_before, jsonb_path_query_array(h, '$.versions[*].version_num') as versions
  from (select memento.memory_history(:'item', 2)) as page(h);
select h -> 'total' as total, h -> 'next_before' as next_before, jsonb_path_query_array(h, '$.versions[*].version_num') as versions
  from (select memento.memory_history(:'item', 2, 2)) as page(h);

-- A restored version is a new one.
select r ->> 'status' as status, r ->> 'version_num' as version_num from (select memento.memory_restore(:'item', 1)) as restored(r);
select r ->> 'status' as status, r ->> 'version_num' as version_num from (select memento.memory_restore(:'item', 1)) as restored(r);
select excerpt, version_num from memento.search('first');

-- What changed.
select memento.remember(E'first\nline two\nthe third line', source_system => 's', source_id => '1') ->> 'status' as status;
select memento.memory_diff(:'item', 4) ->> 'unified' as unified;
select memento.memory_diff(:'item', 1, 2) -> 'words' as words, memento.memory_diff(:'item', 1, 4) -> 'changed' as changed;
select * from memento.memory_diff_lines(:'item', 4, 5);
select memento.memory_diff('00000000-0000-0000-0000-000000000009', 1, 99);
select memento.memory_restore(:'item', 1) ->> 'version_num' as version_num;

-- Pinned, archived, and back.
select memento.memory_pin(:'item') - 'item_id' as pinned;
select memento.memory_unpin(:'item') - 'item_id' as unpinned;
select memento.memory_archive(:'item') ->> 'status' as status;
select count(*) from memento.search('first');
select memento.memory_archive(:'item', archived => false) ->> 'status' as status;
select count(*) from memento.search('first');

-- Filters.
select memento.remember('first of the others', kind => 'runbook', tags => array['a', 'b'], scope => 'task', doc_class => 'app_spec', sensitivity => 'sensitive', visibility => 'team', retention => '90d') ->> 'status' as status;
select f as filter, count(s.chunk_id) as hits
  from (values ('{}'), ('{"kinds": ["runbook"]}'), ('{"kinds": []}'), ('{"scopes": ["task"]}'), ('{"doc_classes": ["app_spec"]}'),
               ('{"tags_any": ["a", "z"]}'), ('{"tags_all": ["a", "z"]}'), ('{"sensitivities": ["normal"]}'),
               ('{"visibility_scopes": ["team"]}'), ('{"source_systems": ["s"]}'), ('{"speakers": ["ana"]}'), ('{"entities": ["Ana"]}'), ('{"pinned_only": true}'),
               ('{"canonical_only": true}'), ('{"created_after": "2001-01-01"}'), ('{"created_before": "2001-01-01T00:00:00Z"}')) v(f)
  left join lateral memento.search('first', filters => f::jsonb) s on true
 group by 1 order by 1;
select count(*) from memento.search('first', filters => jsonb_build_object('item_ids', jsonb_build_array(:'item')));
select count(*) from memento.search('first', filters => jsonb_build_object('exclude_item_ids', jsonb_build_array(:'item')));
select memento.search('first', filters => '{"kind": ["note"]}');
select memento.search('first', filters => '{"scopes": ["galaxy"]}');
select memento.search('first', filters => '{"created_after": "soon"}');

-- Lists, page by page.
select memento.remember('number ' || n, kind => 'listed', title => n::text) ->> 'status' as status from generate_series(1, 3) n;
select p -> 'total' as total, jsonb_path_query_array(p, '$.items[*].title') as titles, p ->> 'next_after' as next_after
  from (select memento.memory_list('{"kinds": ["listed"]}', 2)) as page(p) \gset
select :total as total, :'titles' as titles;
select p -> 'total' as total, jsonb_path_query_array(p, '$.items[*].title') as titles, p -> 'next_after' as next_after
  from (select memento.memory_list('{"kinds": ["listed"]}', 2, :'next_after')) as page(p);
select memento.memory_archive(i.item_id) ->> 'status' as status from memento.item i where i.title = '3' and i.kind = 'listed';
select memento.memory_list('{"kinds": ["listed"]}') -> 'total' as active, memento.memory_list('{"kinds": ["listed"]}', include_archived => true) -> 'total' as all_of_them;
select memento.memory_list(max_items => 0);
select memento.memory_list(after => 'here');
select memento.memory_list('{"colour": 1}');

-- Links.
select memento.remember('the old rule') ->> 'item_id' as old, memento.remember('the new rule') ->> 'item_id' as new \gset
select memento.memory_link(:'new', :'old', 'supersedes') ->> 'relation' as relation;
select memento.memory_link(:'new', :'old', 'supersedes', '{"why": "newer"}') -> 'metadata' as metadata;
select count(*) from memento.link where project_id = memento.current_project();
select memento.memory_link(:'old', :'old', 'supersedes');
select memento.memory_link(:'new', '00000000-0000-0000-0000-000000000009', 'supersedes');
select memento.memory_link(:'new', :'old', ' ');
select memento.memory_link(:'new', :'old', 'x', '[]');
select memento.forget(item_id => :'old') -> 'items' as items;
select count(*) from memento.link where project_id = memento.current_project();

-- Keys and passwords.
\set secret 'The key is AKIA' 'Q3EGRZ7XTBLW2MYP, and password=hunter2hunter2X9 too.'
select memento.remember(:'secret') -> 'secrets' as warned;
select memento.set_secret_policy('redact');
select memento.remember(:'secret', source_system => 'x', source_id => 'redacted') -> 'secrets' as redacted;
select content from memento.version v join memento.item i using (project_id, item_id) where i.source_id = 'redacted';
select memento.set_secret_policy('refuse');
select memento.remember(:'secret');
select memento.set_secret_policy('ignore');
select memento.remember(:'secret') -> 'secrets' as ignored;
select memento.set_secret_policy('maybe');
select memento.remember(:'secret', source_system => 'x', source_id => 'leak') ->> 'status' as status;
select memento.remember('clean', source_system => 'x', source_id => 'leak') ->> 'status' as status;

select memento.set_secret_policy('refuse');
\set VERBOSITY sqlstate
select memento.memory_restore(i.item_id, 1)
  from memento.item i where i.source_id = 'leak';
\set VERBOSITY default
select memento.set_secret_policy('warn');

-- Versions cannot be changed, by anyone.
update memento.version set content = 'changed' where item_id = :'item';
update memento.version set version_num = 9 where item_id = :'item' and version_num = 1;
set session_replication_role = replica;
update memento.version set content_hash = '' where item_id = :'item';
reset session_replication_role;
begin;
set local memento.maintenance = on;
update memento.version set created_at = created_at - interval '1 day' where item_id = :'item' and version_num = 1;
rollback;
insert into memento.version (project_id, item_id, version_num, content, content_hash, is_latest, superseded_at)
select project_id, item_id, 99, 'forged', '\x00', false, now() from memento.item where item_id = :'item';

-- Forgotten for good, with a receipt.
select memento.forget(item_id => :'item') as receipt \gset
select :'receipt'::jsonb - 'receipt_id' - 'forgotten_at' - 'forgotten_by' - 'counts' as receipt;
select memento.verify_forgotten((:'receipt'::jsonb ->> 'receipt_id')::uuid) - 'receipt_id' as verified;
select count(*) from memento.search('first');
select memento.forget(source_system => 'nowhere', whole_source => true) as nothing;
select memento.forget(source_system => 'x', source_id => null);
select memento.forget(whole_project => true) - 'receipt_id' - 'forgotten_at' - 'forgotten_by' - 'counts' as everything;
select count(*) from memento.item where project_id = memento.current_project();

-- Refused.
select memento.memory_get('00000000-0000-0000-0000-000000000009');
select memento.memory_get(null);
select memento.memory_history('00000000-0000-0000-0000-000000000009');
select memento.memory_history('00000000-0000-0000-0000-000000000009', 0);
select memento.memory_restore('00000000-0000-0000-0000-000000000009', 1);
select memento.memory_pin('00000000-0000-0000-0000-000000000009');
select memento.forget();
select memento.forget(item_id => '00000000-0000-0000-0000-000000000009');
select memento.forget(source_system => 's', whole_project => true);
select memento.verify_forgotten('00000000-0000-0000-0000-000000000009');
select memento.remember('x', scope => 'galaxy');
select memento.remember('x', retention => 'soon');
select memento.remember('x', sensitivity => 'secret');
select memento.remember('x', doc_class => ' ');
select memento.remember('x', source_system => 's', source_id => repeat('x', 1001));
select memento.memory_list(after => '9223372036854775807/00000000-0000-0000-0000-000000000009');
