-- $1 project, $2 event
select memento._event_shown(e, true, true) from memento.semantic_event e where e.project_id = $1 and e.event_id = $2::uuid
