-- $1 project
select from memento.project where project_id = $1 for no key update
