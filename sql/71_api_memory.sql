-- recall() is search() under the name that the other two of the first three lines suggest.
create function memento.recall(query text, k int default 10, filters jsonb default '{}')
  returns table (
    chunk_id bigint, item_id uuid, version_num int, title text, kind text, heading_path text[],
    section_anchor text, start_char int, end_char int, excerpt text, score float8, lanes jsonb
  )
  language sql stable parallel restricted rows 10
  set search_path = pg_catalog, pg_temp
begin atomic
  select * from memento.search(query, k, filters, null);
end;

comment on function memento.remember(text, text, text, text[], text, text, jsonb) is
  'Stores a text as a memory of the current project, chunked and searchable when it returns. The same source_system and source_id again: nothing happens if the content is the same, else it is the next version (title, kind, tags and metadata stay those of the first). Returns status (created, updated, unchanged), item_id, version_id, version_num and the number of chunks. Needs write access.';
comment on function memento.search(text, int, jsonb, timestamptz) is
  'The k best chunks of the current project for a query, best first, from the latest versions or from those that were live at as_of. Filters: kinds, tags_any, tags_all. lanes says which kind of search found a chunk, and at which rank. Needs read access.';
comment on function memento.recall(text, int, jsonb) is
  'What is remembered about something: the k best chunks of the current project, as search() gives them. Needs read access.';
