-- $1 project, $2 chunks: what decides about their places beside the lanes
select c.chunk_id, v.item_id, i.canonical_key is not null, i.pinned, i.kind,
       pg_catalog.floor(extract(epoch from i.created_at) / 86400)::bigint, c.speakers
  from memento.chunk c
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join memento.item i on i.project_id = $1 and i.item_id = v.item_id
 where c.project_id = $1 and c.chunk_id = any ($2::bigint[])
