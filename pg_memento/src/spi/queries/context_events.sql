-- $1 project, $2 a chain of events, nearest first, $3 how many bytes in all: the events in that order, as a context shows them;
-- null for what is beyond. One look-up for each, whatever the table was like when this was planned: hence the offset.
select case when sum(pg_catalog.octet_length(s.shown::text)) over (order by c.steps) <= $3::bigint then s.shown end
  from unnest($2::uuid[]) with ordinality c(event_id, steps)
  cross join lateral (
    select pg_catalog.jsonb_build_object(
             'uuid', e.event_id, 'event_type', e.event_type, 'timestamp', e."timestamp", 'depth', c.steps - 1, 'event_data', e.event_data) as shown
      from memento.event_store e
     where e.project_id = $1 and e.event_id = c.event_id
    offset 0
  ) s
 order by c.steps
