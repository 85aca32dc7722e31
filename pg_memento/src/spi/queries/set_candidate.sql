-- $1 project, $2 profile
update memento.project p set candidate_profile_id = nullif($2::uuid, p.active_profile_id) where p.project_id = $1
