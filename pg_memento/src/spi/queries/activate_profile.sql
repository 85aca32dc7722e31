-- $1 project, $2 profile or null for none. What was active stays filled, to switch back to.
with noted as (
  insert into memento.profile_change (project_id) values ($1) on conflict (project_id) do update set over_at = null
)
update memento.project p
   set candidate_profile_id = case when p.active_profile_id is distinct from $2::uuid then p.active_profile_id
                                   else p.candidate_profile_id end,
       active_profile_id = $2::uuid
 where p.project_id = $1
