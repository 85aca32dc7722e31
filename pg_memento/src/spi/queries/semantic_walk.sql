-- $1 project, $2 words, $3 category, $4 and $5 from when to when, $6 artifact uid, $7 words of an actor, $8 of the subject, $9 least
-- confidence: null for any; $10 how many are looked at, $11 and $12 the time and the key of the event after which to go on, $13 how many, $14 with
-- evidence. Of those in the order of time that are looked at, the wanted ones.
   limit $10::bigint
), page as (
  select n.event_id, n.event_time from near n
   where ($2::text is null or n.tsv @@ (select $2::tsquery))
     and ($6::text is null or n.artifact_uid = $6)
     and ($7::text is null or n.actor_names @@ (select pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($7, '/.:=@-_', '       '))))
     and ($8::text is null or n.subject_names @@ (select pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($8, '/.:=@-_', '       '))))
     and ($9::float8 is null or n.confidence >= $9)
   order by n.event_time desc nulls last, n.event_id
   limit $13::int
)
select p.event_id, 0::float8, p.event_time,
       memento._event_shown(e, false) || coalesce(n.shown, '{}')
       || pg_catalog.jsonb_build_object('is_latest', memento._revision_id(l.content_hash) = e.revision_id)
  from page p
  join memento.semantic_event e on e.project_id = $1 and e.event_id = p.event_id
  join memento.version v on v.project_id = $1 and v.version_id = e.version_id
  join memento.version l on l.project_id = $1 and l.item_id = v.item_id and l.is_latest
  left join lateral memento._evidence_shown($1, p.event_id) n on $14::boolean
 order by p.event_time desc nulls last, p.event_id
