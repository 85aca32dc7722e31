-- $1 project, $2 session, $3 how many, $4 after which event, if any
select e.event_id, e.event_type, e."timestamp", e.event_data, e.depth, false, e.parent_uuid, e.sequence_num
  from memento.event_store e
 where e.project_id = $1 and e.session_id = $2
   and ($4::uuid is null
        or (e."timestamp", e.sequence_num, e.event_id)
           > (select a."timestamp", a.sequence_num, a.event_id from memento.event_store a where a.project_id = $1 and a.event_id = $4))
 order by e."timestamp", e.sequence_num, e.event_id
 limit $3
