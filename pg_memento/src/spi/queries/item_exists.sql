-- $1 project, $2 item
select exists (select from memento.item where project_id = $1 and item_id = $2)
