-- $1 project, $2 event
select memento._event_shown(e, true) || n.shown
  from memento.semantic_event e cross join lateral memento._evidence_shown(e.project_id, e.event_id) n
 where e.project_id = $1 and e.event_id = $2::uuid
