-- $1 project, $2 source system, $3 source id: makes the writers of an item wait for each other
select from memento.item where project_id = $1 and source_system = $2::text and source_id = $3::text for no key update
