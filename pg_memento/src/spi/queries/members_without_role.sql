select distinct m.role_name::text
  from memento.project_member m
 where not exists (select from pg_catalog.pg_roles r where r.rolname = m.role_name)
 order by 1
