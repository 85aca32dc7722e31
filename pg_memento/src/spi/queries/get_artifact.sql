-- $1 project, $2 artifact id, $3 artifact uid, $4 item: one of them; $5 revision id; $6 with content, $7 with chunks
select pg_catalog.jsonb_build_object(
         'artifact_id', r.artifact_id, 'artifact_uid', r.artifact_uid, 'revision_id', r.revision_id, 'item_id', i.item_id,
         'version_id', v.version_id, 'version_num', v.version_num, 'is_latest', l.content_hash = v.content_hash,
         'metadata', pg_catalog.jsonb_build_object(
           'artifact_type', r.artifact_type, 'source_system', i.source_system, 'source_id', i.source_id, 'source_url', i.source_url,
           'title', i.title, 'author', i.author, 'participants', i.participants, 'ts', r.source_ts,
           'sensitivity', i.sensitivity, 'visibility_scope', i.visibility, 'retention_policy', i.retention,
           'content_hash', pg_catalog.encode(v.content_hash, 'hex'), 'token_count', r.token_count, 'is_chunked', r.is_chunked,
           'num_chunks', case when r.is_chunked then c.chunk_count else 0 end, 'ingested_at', r.ingested_at))
       || case when $6::boolean then pg_catalog.jsonb_build_object('content', v.content) else '{}' end
       || case when $7::boolean then pg_catalog.jsonb_build_object('chunks', c.chunks) else '{}' end
  from memento.artifact_revision r
  join memento.version v on v.project_id = r.project_id and v.version_id = r.version_id
  join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
  join memento.version l on l.project_id = i.project_id and l.item_id = i.item_id and l.is_latest
 cross join lateral (
   select count(*) as chunk_count,
          coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
            'chunk_id', memento._chunk_name(r.artifact_id, k.ordinal, k.chunk_text), 'chunk_index', k.ordinal,
            'start_char', k.start_char, 'end_char', k.end_char, 'token_count', k.token_count) order by k.ordinal)
            filter (where $7), '[]') as chunks
     from memento.chunk k where k.project_id = v.project_id and k.version_id = v.version_id) c
 where r.project_id = $1
   and ($2::text is null or r.artifact_id = $2)
   and ($3::text is null or r.artifact_uid = $3)
   and ($4::uuid is null or i.item_id = $4)
   and r.revision_id = coalesce($5::text, case when $2 is null then memento._revision_id(l.content_hash) else r.revision_id end)
