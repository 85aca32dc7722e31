-- $1 project, $2 category, $3 and $4 from when to when, $5 least confidence: null for any; $6 how far to count
select count(*) from (
  select from memento.semantic_event e
   where e.project_id = $1
     and ($2::text is null or e.category = $2)
     and ($3::timestamptz is null or e.event_time >= $3)
     and ($4::timestamptz is null or e.event_time <= $4)
     and ($5::float8 is null or e.confidence >= $5)
   limit $6::bigint
) counted
