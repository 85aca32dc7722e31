-- $1 project, $2 event, $3 how many: what it has led to directly, and whether there is more
select f.event_id, f.event_type, f."timestamp", f.event_data, pg_catalog.count(*) over () > $3::int
  from (select e.event_id, e.event_type, e."timestamp", e.event_data, e.sequence_num
          from memento.event_store e
         where e.project_id = $1 and e.parent_uuid = $2
         order by e."timestamp", e.sequence_num, e.event_id
         limit $3 + 1) f
 order by f."timestamp", f.sequence_num, f.event_id
 limit $3
