-- $1 project, $2 keys that each has, $3 and $4 keys of which it has one, $5 and $6 from when to when, $7 least confidence; null for any.
with wanted as (
  select e.ctid as place, e.event_id, e.event_time from memento.semantic_event e
   where ($2::bigint[] is null
          or memento._event_keys(e.project_id, e.category, e.artifact_uid, e.event_time, e.tsv, e.actor_names, e.subject_names) @> $2)
     and ($3::bigint[] is null
          or memento._event_keys(e.project_id, e.category, e.artifact_uid, e.event_time, e.tsv, e.actor_names, e.subject_names) && $3)
     and ($4::bigint[] is null
          or memento._event_keys(e.project_id, e.category, e.artifact_uid, e.event_time, e.tsv, e.actor_names, e.subject_names) && $4)
     and e.project_id = $1
     and ($5::timestamptz is null or e.event_time >= $5)
     and ($6::timestamptz is null or e.event_time <= $6)
     and ($7::float8 is null or e.confidence >= $7)
)
