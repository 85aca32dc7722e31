-- $1 project, $2 profile
with noted as (
  insert into memento.profile_change (project_id) values ($1) on conflict (project_id) do update set over_at = null
)
update memento.project p set candidate_profile_id = nullif($2::uuid, p.active_profile_id) where p.project_id = $1
