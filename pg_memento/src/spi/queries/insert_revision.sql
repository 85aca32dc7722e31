-- $1 project, $2 version, $3 artifact type, $4 time at the source, $5 tokens, $6 whether it is named by its chunks: its names, and
-- whether it is new. The first version with a content stands for all.
with named as materialized (
  select i.artifact_uid, memento._revision_id(v.content_hash) as revision_id
    from memento.version v
    join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
   where v.project_id = $1 and v.version_id = $2
),
made as (
  insert into memento.artifact_revision
    (project_id, artifact_uid, revision_id, artifact_id, version_id, artifact_type, source_ts, token_count, is_chunked)
  select $1, n.artifact_uid, n.revision_id, memento._artifact_id(n.artifact_uid, n.revision_id), $2, $3::text, $4::timestamptz,
         $5::int, $6::boolean
    from named n
  on conflict (project_id, artifact_uid, revision_id) do nothing
  returning artifact_id
)
select n.artifact_uid, n.revision_id, memento._artifact_id(n.artifact_uid, n.revision_id), exists (select from made)
  from named n
