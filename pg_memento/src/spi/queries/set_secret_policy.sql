-- $1 project, $2 policy
update memento.project set secret_policy = $2::text where project_id = $1
