-- $1 role, $2 whether it sees all projects, $3 workspace, if it matters, $4 name: as in project_by_id.sql
select p.project_id, m.level::text
  from memento.project p
  join memento.workspace w on w.workspace_id = p.workspace_id
 cross join lateral (
   select pg_catalog.max(m.level) as level
     from memento.project_member m
     join pg_catalog.pg_authid a on a.rolname = m.role_name
    where m.project_id = p.project_id and not $2::boolean and pg_catalog.pg_has_role($1::oid, a.oid, 'usage')) m
 where p.name = $4::text and ($3::text is null or w.name = $3) and ($2 or m.level is not null)
