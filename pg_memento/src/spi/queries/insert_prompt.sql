-- $1 project, $2 name, $3 template, null for the built-in one, $4 by whom.
insert into memento.extraction_prompt (project_id, name, version, created_by, template)
select p.project_id, $2::text, 1 + coalesce((select pg_catalog.max(e.version) from memento.extraction_prompt e where e.project_id = $1 and e.name = $2), 0),
       pg_catalog.pg_get_userbyid($4), $3::text
  from memento.project p where p.project_id = $1
returning version
