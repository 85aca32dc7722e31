-- As semantic_walk.sql, where nothing is asked for but what the indexes of time have: counted up to $10 by the same look.
   limit $10::bigint
), page as (
  select f.event_id, f.event_time from found f order by f.event_time desc nulls last, f.event_id limit $13::int
)
select p.event_id, 0::float8, p.event_time,
       memento._event_shown(e, false) || coalesce(n.shown, '{}')
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id),
       c.total, c.total::float8
  from (select count(*) as total from found) c
  left join (page p
             join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
             join memento.version v on v.project_id = $1 and v.version_id = e.version_id
             join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest
             left join lateral memento._evidence_shown($1, p.event_id) n on $14::boolean) on true
 order by p.event_time desc nulls last, p.event_id
