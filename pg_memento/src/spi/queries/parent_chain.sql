-- $1 project, $2 event, $3 how many steps up
select c.event_id, c.event_type, c."timestamp", c.event_data, c.steps, c.truncated from memento._parent_chain($1, $2, $3) c
