-- $1 entries, which are an array of objects
select e.content, e.title, e.kind, e.tags, e.source_system, e.source_id, e.metadata, e.scope, e.doc_class, e.sensitivity,
       e.visibility, e.retention, e.source_url, e.author, e.participants
  from rows from (pg_catalog.jsonb_to_recordset($1::jsonb) as (
         content text, title text, kind text, tags text[], source_system text, source_id text, metadata jsonb, scope text,
         doc_class text, sensitivity text, visibility text, retention text, source_url text, author text,
         participants text[])) with ordinality as e(
         content, title, kind, tags, source_system, source_id, metadata, scope, doc_class, sensitivity, visibility, retention,
         source_url, author, participants, position)
 order by e.position
