-- After semantic_wanted.sql: $10 how many, $11 with evidence, $12 the query that is made ready, $13 to $15 the event after which to go on: its
-- score, its time in microseconds since 1970 (null if it has none) and its key; $16 how many may be ranked, $17 how far to count. Each row
-- has how many there are; there is one without an event if the page has none, or if there are too many to be ranked.
, found as materialized (
  select w.event_id, w.event_time, w.tsv from wanted w limit $17::bigint
), counted as materialized (
  select count(*) as total from found
), scored as (
  select f.event_id, f.event_time, memento._bm25(f.tsv, $12::bytea) as score from found f cross join counted c where c.total <= $16::bigint
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
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id, 'score', p.score),
       c.total
  from counted c
  left join (page p
             join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
             join memento.version v on v.project_id = $1 and v.version_id = e.version_id
             join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest) on true
 order by p.score desc, p.event_time desc nulls last, p.event_id
