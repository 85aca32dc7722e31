e.project_id = $1 and e.event_time >= coalesce($4::timestamptz, '-infinity') and e.event_time <= least($5::timestamptz, $11::timestamptz, 'infinity')
     and ($12::uuid is null or e.event_time < $11 or e.event_id > $12)
   order by e.event_time desc nulls last, e.event_id
