-- $1 project, $2 event: its root and how far it is from it
select e.root_uuid, e.depth from memento.event_store e where e.project_id = $1 and e.event_id = $2
