-- $1 project, $2 chunks: those of artifacts, under the names that artifact_get() has for them
select c.chunk_id, case when r.is_chunked then memento._chunk_name(r.artifact_id, c.ordinal, c.chunk_text) else r.artifact_id end,
       pg_catalog.jsonb_build_object(
         'artifact_id', r.artifact_id, 'artifact_uid', r.artifact_uid, 'revision_id', r.revision_id, 'version_num', v.version_num,
         'artifact_type', r.artifact_type, 'title', i.title, 'source_system', i.source_system, 'source_id', i.source_id,
         'source_url', i.source_url, 'author', i.author, 'participants', i.participants, 'ts', r.source_ts,
         'ingested_at', r.ingested_at)
  from memento.chunk c
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join memento.item i on i.project_id = $1 and i.item_id = v.item_id
  join memento.artifact_revision r
    on r.project_id = $1 and r.artifact_uid = i.artifact_uid and r.revision_id = memento._revision_id(v.content_hash)
 where c.project_id = $1 and c.chunk_id = any ($2::bigint[])
