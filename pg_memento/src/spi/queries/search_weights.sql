-- $1 project
select search_weights from memento.project where project_id = $1
