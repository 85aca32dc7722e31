-- $1 project, $2 factors
update memento.project set search_weights = $2::jsonb where project_id = $1
