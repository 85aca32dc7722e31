-- $1 project, $2 session, $3 how many, $4 after which event, if any: with the distance of each from its root, its parent and its
-- number, and whether there is more
select f.event_id, f.event_type, f."timestamp", f.event_data, f.depth, f.parent_uuid, f.sequence_num,
       pg_catalog.count(*) over () > $3::int
  from (select e.*
          from memento.event_store e
         where e.project_id = $1 and e.session_id = $2
           and ($4::uuid is null
                or (e."timestamp", e.sequence_num, e.event_id)
                   > (select a."timestamp", a.sequence_num, a.event_id from memento.event_store a where a.project_id = $1 and a.event_id = $4))
         order by e."timestamp", e.sequence_num, e.event_id
         limit $3 + 1) f
 order by f."timestamp", f.sequence_num, f.event_id
 limit $3
