-- $1 project, $2 event, $3 how many steps up, $4 how many bytes in all: the event and what led to it, nearest first, as a
-- context shows them; null for what is beyond
select case when sum(pg_catalog.octet_length(e.shown::text)) over (order by e.steps) <= $4::bigint then e.shown end
  from (
    select c.steps, pg_catalog.jsonb_build_object(
             'uuid', c.event_id, 'event_type', c.event_type, 'timestamp', c."timestamp", 'depth', c.steps, 'event_data', c.event_data) as shown
      from memento._parent_chain($1, $2, $3) c
  ) e
 order by e.steps
