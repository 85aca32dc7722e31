-- $1 project, $2 item, $3 version number; the latest if null
select v.content, v.version_id, v.version_num
  from memento.version v
 where v.project_id = $1 and v.item_id = $2
   and case when $3::int is null then v.is_latest else v.version_num = $3 end
