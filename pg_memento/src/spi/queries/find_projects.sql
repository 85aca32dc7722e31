-- $1 role, $2 whether it sees all projects, $3 id, $4 workspace, $5 name
select p.project_id, pg_catalog.max(m.level)::text
  from memento.project p
  join memento.workspace w on w.workspace_id = p.workspace_id
  left join memento.project_member m
    on m.project_id = p.project_id and m.role_name in (select memento._held_roles($1::oid))
 where case when $3::uuid is not null then p.project_id = $3::uuid else p.name = $5::text end
   and ($4::text is null or w.name = $4::text)
 group by p.project_id
having $2::boolean or pg_catalog.count(m.level) > 0
