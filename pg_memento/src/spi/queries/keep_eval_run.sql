-- $1 project, $2 role, $3 set, $4 profile, $5 k, $6 lanes
insert into memento.eval_run (project_id, eval_set, ran_by, profile_id, k, lanes)
select p.project_id, $3::text, pg_catalog.pg_get_userbyid($2), coalesce($4::uuid, p.active_profile_id), $5::int, $6::jsonb
  from memento.project p
 where p.project_id = $1
