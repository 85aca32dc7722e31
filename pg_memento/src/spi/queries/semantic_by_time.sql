-- $1 project, $2 words, $3 category, $4 and $5 from when to when, $6 artifact uid, $7 words of an actor, $8 of the subject, $9 least
-- confidence: null for any; $10 how many, $11 with evidence, $12 and $13 the time in microseconds since 1970 (null if it has none) and the
-- key of the event after which to go on, $14 how many of the newest are looked at; null for all. In the order of time, which an index has.
with near as (
  select e.* from memento.semantic_event e
   where e.project_id = $1
     and ($3::text is null or e.category = $3)
     and ($4::timestamptz is null or e.event_time >= $4)
     and ($5::timestamptz is null or e.event_time <= $5)
     and ($13::uuid is null
          or case when $12::bigint is null
                  then e.event_time is null and e.event_id > $13
                  else e.event_time is null or e.event_time < 'epoch'::timestamptz + $12 * interval '1 microsecond'
                       or (e.event_time = 'epoch'::timestamptz + $12 * interval '1 microsecond' and e.event_id > $13) end)
   order by e.event_time desc nulls last, e.event_id
   limit $14::bigint
), page as (
  select n.event_id, n.event_time from near n
   where ($2::text is null or n.tsv @@ $2::tsquery)
     and ($6::text is null or n.artifact_uid = $6)
     and ($7::text is null or n.actor_names @@ pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($7, '/.:=@-_', '       ')))
     and ($8::text is null or n.subject_names @@ pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($8, '/.:=@-_', '       ')))
     and ($9::float8 is null or n.confidence >= $9)
   order by n.event_time desc nulls last, n.event_id
   limit $10::int
)
select p.event_id, 0::float8, (extract(epoch from p.event_time) * 1000000)::bigint,
       memento._event_shown(e, $11::boolean, false)
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id)
  from page p
  join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
  join memento.version v on v.project_id = $1 and v.version_id = e.version_id
  join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest
 order by p.event_time desc nulls last, p.event_id
