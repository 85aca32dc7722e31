-- $1 project, $2 event: its root, and how many steps it is away
select r.event_id, r.event_type, r."timestamp", r.event_data, e.depth
  from memento.event_store e
  join memento.event_store r on r.project_id = e.project_id and r.event_id = e.root_uuid
 where e.project_id = $1 and e.event_id = $2
