-- After semantic_wanted.sql: $10 how many, $11 with evidence, $12 the query that is made ready, null for the order of time alone; $13 to $15
-- the event after which to go on: its score, its time in microseconds since 1970 (null if it has none) and its key
, scored as (
  select w.event_id, w.event_time, case when $12::bytea is null then 0 else memento._bm25(w.tsv, $12) end as score from wanted w
), page as (
  select s.* from scored s
   where $15::uuid is null
      or s.score < $13::float8
      or (s.score = $13
          and case when $14::bigint is null
                   then s.event_time is null and s.event_id > $15
                   else s.event_time is null or s.event_time < 'epoch'::timestamptz + $14 * interval '1 microsecond'
                        or (s.event_time = 'epoch'::timestamptz + $14 * interval '1 microsecond' and s.event_id > $15) end)
   order by s.score desc, s.event_time desc nulls last, s.event_id
   limit $10::int
)
select p.event_id, p.score, (extract(epoch from p.event_time) * 1000000)::bigint,
       memento._event_shown(e, $11::boolean, false)
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id)
       || case when $12 is null then '{}' else pg_catalog.jsonb_build_object('score', p.score) end
  from page p
  join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
  join memento.version v on v.project_id = $1 and v.version_id = e.version_id
  join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest
 order by p.score desc, p.event_time desc nulls last, p.event_id
