-- $1 role, $2 whether it sees all projects
with visible as (
  select p.project_id, p.name, p.project_key, w.name as workspace,
         pg_catalog.jsonb_build_object(
           'project_id', p.project_id, 'workspace_id', w.workspace_id, 'workspace_name', w.name, 'project_key', p.project_key,
           'display_name', p.name, 'created_at', p.created_at,
           'level', case when $2::boolean then 'admin' else l.level::text end) as seen
    from memento.project p
    join memento.workspace w on w.workspace_id = p.workspace_id
    left join (select m.project_id, pg_catalog.max(m.level) as level
                 from memento.project_member m
                where m.role_name in (select memento._held_roles($1::oid))
                group by m.project_id) l on l.project_id = p.project_id
   where $2 or l.level is not null
)
