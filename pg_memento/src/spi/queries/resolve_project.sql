-- After visible_projects.sql: $3 workspace, $4 key, $5 name of a project without a key
select v.project_id, v.seen
  from visible v
 where v.workspace = $3::text and (v.project_key = $4::text or (v.name = $5::text and ($4 is null or v.project_key is null)))
 order by v.project_key is null
 limit 1
