-- $1 role, $2 whether it sees all projects, $3 id: the project, if the role may see it, and what it may do there. Asked by every call
-- of every function. A project has few members, so each is looked at, instead of all roles that the role is a member of.
select p.project_id, m.level::text
  from memento.project p
 cross join lateral (
   select pg_catalog.max(m.level) as level
     from memento.project_member m
     join pg_catalog.pg_authid a on a.rolname = m.role_name
    where m.project_id = p.project_id and not $2::boolean and pg_catalog.pg_has_role($1::oid, a.oid, 'usage')) m
 where p.project_id = $3::text::uuid and ($2 or m.level is not null)
