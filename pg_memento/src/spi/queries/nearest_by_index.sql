, counted as (
  select false as too_many, false as saw_all
),
candidate as materialized (
  -- After wanted_items.sql: $19 as_of, $20 vector, $21 limit, $22 how many candidates. From the index alone; what filters leave of
  -- them is looked at afterwards.
  select e.chunk_id, (e.embedding::{vector} {nearer} $20::real[]::{vector})::float8 as distance
    from memento.chunk_embedding e
   where e.profile_id = {profile} and e.project_id = $1
   order by e.embedding::{vector} {nearer} $20::real[]::{vector}
   limit $22::bigint
)
