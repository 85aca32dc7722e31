-- After what is wanted: $1 project, $2 keys that each has, $3 and $4 keys of which it has one, $5 and $6 from when to when, $7 least confidence,
-- null for any; $8 how far to count, $9 how many may be ranked, $10 how many, $11 with evidence, $12 the query that is made ready, or null
-- for the newest, $13 to $15 the event after which to go on: its score, its time (null if it has none) and its key.
-- Each row has how many there are, and about how many there would be without an end of counting: they are read in the order of the table, so as
-- many as in the part of it that was read. There is a row without an event if the page has none, or if there are as many as were to be counted.
, found as materialized (
  select w.place, w.event_id, w.event_time, w.tsv from wanted w limit $8::bigint
), counted as materialized (
  select count(*) as total,
         count(*) * case when count(*) < $8 then 1 else
           pg_catalog.pg_relation_size('memento.semantic_event') / current_setting('block_size')::float8 / (1 + (max(f.place)::text::point)[0]) end as expected
    from found f
), scored as (
  select f.event_id, f.event_time, memento._bm25(f.tsv, $12::bytea) as score from found f
   where $12 is not null and (select total from counted) <= $9::bigint
  union all
  select f.event_id, f.event_time, 0::float8 from found f
   where ($12 is null or (select total from counted) > $9) and (select total from counted) < $8
), page as (
  select s.* from scored s
   where $15::uuid is null
      or s.score < $13::float8
      or (s.score = $13
          and case when $14::timestamptz is null
                   then s.event_time is null and s.event_id > $15
                   else s.event_time is null or s.event_time < $14 or (s.event_time = $14 and s.event_id > $15) end)
   order by s.score desc, s.event_time desc nulls last, s.event_id
   limit $10::int
)
select p.event_id, p.score, p.event_time,
       memento._event_shown(e, false) || coalesce(n.shown, '{}')
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id)
       || case when $12 is not null and c.total <= $9 then pg_catalog.jsonb_build_object('score', p.score) else '{}' end,
       c.total, c.expected
  from counted c
  left join (page p
             join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
             join memento.version v on v.project_id = $1 and v.version_id = e.version_id
             join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest
             left join lateral memento._evidence_shown($1, p.event_id) n on $11::boolean) on true
 order by p.score desc, p.event_time desc nulls last, p.event_id
