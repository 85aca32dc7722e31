-- $1 project, $2 event, $3 how many levels down, $4 how many events
select t.event_id, t.event_type, t."timestamp", t.event_data, t.depth, t.parent_uuid, t.truncated
  from memento._event_tree($1, $2, $3, $4) t
