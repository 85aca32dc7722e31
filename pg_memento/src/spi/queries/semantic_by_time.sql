-- After semantic_wanted.sql: as semantic_page.sql, in the order of time alone, which an index has
, page as (
  select w.event_id, w.event_time, 0::float8 as score from wanted w
   where $15::uuid is null
      or case when $14::bigint is null
              then w.event_time is null and w.event_id > $15
              else w.event_time is null or w.event_time < 'epoch'::timestamptz + $14 * interval '1 microsecond'
                   or (w.event_time = 'epoch'::timestamptz + $14 * interval '1 microsecond' and w.event_id > $15) end
   order by w.event_time desc nulls last, w.event_id
   limit $10::int
)
select p.event_id, p.score, (extract(epoch from p.event_time) * 1000000)::bigint,
       memento._event_shown(e, $11::boolean, false)
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id)
  from page p
  join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
  join memento.version v on v.project_id = $1 and v.version_id = e.version_id
  join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest
 order by p.event_time desc nulls last, p.event_id
