-- $1 project
select secret_policy from memento.project where project_id = $1
