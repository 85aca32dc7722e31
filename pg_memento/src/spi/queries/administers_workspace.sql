-- $1 role, $2 workspace
select exists (
  select
    from memento.project_member m
    join memento.project p on p.project_id = m.project_id
    join memento.workspace w on w.workspace_id = p.workspace_id
   where w.name = $2::text
     and m.level = 'admin'
     and m.role_name in (select memento._held_roles($1::oid)))
