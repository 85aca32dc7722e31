-- $1 project, $2 event, $3 how many
select e.event_id, e.event_type, e."timestamp", e.event_data, e.depth, false
  from memento.event_store e
 where e.project_id = $1 and e.parent_uuid = $2
 order by e."timestamp", e.sequence_num, e.event_id
 limit $3
