-- $1 project, $2 words, $3 category, $4 and $5 from when to when, $6 artifact uid, $7 words of an actor, $8 of the subject, $9 least
-- confidence: null for any. Where there are words, project and category are asked of their index, and else of those by time.
with wanted as (
  select e.* from memento.semantic_event e
   where e.project_id = $1
     and ($2::text is null and $7::text is null and $8::text is null
          or array[e.project_id::text, e.category] @> pg_catalog.array_remove(array[$1::uuid::text, $3::text], null))
     and ($2 is null or e.tsv @@ $2::tsquery)
     and ($3 is null or e.category = $3)
     and ($4::timestamptz is null or e.event_time >= $4)
     and ($5::timestamptz is null or e.event_time <= $5)
     and ($6::text is null or e.artifact_uid = $6)
     and ($7 is null or e.actor_names @@ pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($7, '/.:=@-_', '       ')))
     and ($8 is null or e.subject_names @@ pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($8, '/.:=@-_', '       ')))
     and ($9::float8 is null or e.confidence >= $9)
)
