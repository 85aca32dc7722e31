-- $1 project, $2 canonical keys; all if null. In the order of the documents.
select c.chunk_id, i.item_id, i.canonical_key, c.token_count
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
  join memento.chunk c on c.project_id = v.project_id and c.version_id = v.version_id
 where i.project_id = $1 and i.canonical_key is not null and not i.archived
   and ($2::text[] is null or i.canonical_key = any ($2))
 order by i.canonical_key, c.ordinal
