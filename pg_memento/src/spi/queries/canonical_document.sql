-- $1 project, $2 canonical key, $3 version number; the latest if null
select i.item_id, v.version_num, v.content, i.title
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id
 where i.project_id = $1 and i.canonical_key = $2::text
   and case when $3::int is null then v.is_latest else v.version_num = $3 end
