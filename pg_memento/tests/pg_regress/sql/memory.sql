-- Remembering, versions, searching.
select memento.create_project('memory') is not null as made;
select memento.use_project('memory') is not null as used;

select r ->> 'status' as status, r -> 'version_num' as version, r -> 'chunks' as chunks
  from memento.remember(E'First paragraph.\n\nSecond paragraph about PAY-4012.', title => 'Two paragraphs', kind => 'runbook',
                        tags => '{payments,oncall}', source_system => 'wiki', source_id => '17', metadata => '{"author": "ana"}') r;
select r ->> 'status' as status, r -> 'version_num' as version
  from memento.remember(E'First paragraph.\n\nSecond paragraph about PAY-4012.', source_system => 'wiki', source_id => '17') r;
select r ->> 'status' as status, r -> 'version_num' as version
  from memento.remember(E'First paragraph, changed.\n\nSecond paragraph about PAY-4012.', source_system => 'wiki', source_id => '17') r;
select version_num, is_latest, superseded_at is null as live, length(content_hash) as hash_bytes, content
  from memento.version order by version_num;
select ordinal, start_char, end_char, chunk_text from memento.chunk order by chunk_id;

-- A text that is longer than a chunk.
select r -> 'chunks' as chunks from memento.remember(repeat('A sentence of seven words is here. ', 100), source_system => 'wiki', source_id => '18') r;
select c.ordinal, c.start_char, c.end_char, substr(v.content, c.start_char + 1, c.end_char - c.start_char) = c.chunk_text as exact
  from memento.chunk c join memento.version v using (project_id, version_id) join memento.item i on i.item_id = v.item_id
 where i.source_id = '18' order by c.ordinal;

-- Searching finds the latest version only, any word of the question, and no syntax error.
select version_num, title, kind, excerpt, lanes -> 'fts' -> 'rank' as rank from memento.recall('what about PAY-4012?');
select count(*) from memento.search('a & | ! ( <-> :* ''quote');
select title from memento.search('paragraph', filters => '{"kinds": ["runbook"], "tags_all": ["payments", "oncall"]}');
select title from memento.search('paragraph', filters => '{"tags_any": ["nothing"]}');
select title from memento.search('paragraph', filters => '{"kindz": ["runbook"]}');
select title from memento.search('paragraph', k => 0);
select title from memento.search('paragraph', filters => '{"kinds": "runbook"}');

-- Refused, with nothing written.
select memento.remember('');
select memento.remember('x', source_system => 'wiki');
select memento.remember('x', metadata => '"text"');
select memento.remember('x', tags => '{""}');
set memento.max_content_size = '1kB';
select memento.remember(repeat('x', 2000));
reset memento.max_content_size;
select count(*) from memento.item where project_id = memento.current_project();
