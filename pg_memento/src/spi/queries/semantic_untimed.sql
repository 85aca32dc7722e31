e.project_id = $1 and e.event_time is null
     and e.event_id >= coalesce($12::uuid, '00000000-0000-0000-0000-000000000000') and e.event_id is distinct from $12
   order by e.event_time desc nulls last, e.event_id
