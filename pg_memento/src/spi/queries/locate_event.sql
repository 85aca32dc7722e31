-- $1 project, $2 event: its root, how far it is from it, and its session
select e.root_uuid, e.depth, e.session_id from memento.event_store e where e.project_id = $1 and e.event_id = $2
