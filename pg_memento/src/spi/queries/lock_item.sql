-- $1 project, $2 item: makes the writers of an item wait for each other
select kind from memento.item where project_id = $1 and item_id = $2 for no key update
