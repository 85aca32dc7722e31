-- $1 project, $2 artifact id, $3 artifact uid, $4 item: one of them
select i.item_id, i.artifact_uid, count(*)
  from memento.item i
  join memento.artifact_revision r on r.project_id = i.project_id and r.artifact_uid = i.artifact_uid
 where i.project_id = $1
   and i.artifact_uid = coalesce(
         $3::text,
         (select a.artifact_uid from memento.artifact_revision a where a.project_id = $1 and a.artifact_id = $2::text),
         (select o.artifact_uid from memento.item o where o.project_id = $1 and o.item_id = $4::uuid))
 group by i.item_id, i.artifact_uid
