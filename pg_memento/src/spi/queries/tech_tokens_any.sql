, looked as materialized (
  -- After wanted_items.sql: $19 tokens, $22 how many chunks that have one of them are too many
  select c.chunk_id
    from memento.chunk c
   where c.project_id = $1 and c.tech_tokens && $19::text[]
   limit $22::bigint
),
too_many as materialized (
  select from looked having count(*) >= $22
),
candidate as (
  select l.chunk_id from looked l where not exists (select from too_many)
),
frequent as (
  select null::text as token, null::bigint as at_least where false
)
