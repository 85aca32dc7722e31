-- $1 project, $2 artifact id, $3 artifact uid, $4 item: one of them; $5 revision id, by default that of the artifact id, or else the latest
select i.artifact_uid, w.revision_id, v.version_id, w.revision_id = memento._revision_id(l.content_hash)
  from memento.item i
  join memento.version l on l.project_id = i.project_id and l.item_id = i.item_id and l.is_latest
  left join memento.artifact_revision a on a.project_id = i.project_id and a.artifact_id = $2::text
 cross join lateral (select coalesce($5::text, a.revision_id, memento._revision_id(l.content_hash)) as revision_id) w
 cross join lateral (
   -- The first version with a content stands for all.
   select f.version_id from memento.version f
    where f.project_id = i.project_id and f.item_id = i.item_id and memento._revision_id(f.content_hash) = w.revision_id
    order by f.version_num limit 1) v
 where i.project_id = $1
   and ($2 is null or i.artifact_uid = a.artifact_uid)
   and ($3::text is null or i.artifact_uid = $3)
   and ($4::uuid is null or i.item_id = $4)
