, counted as materialized (
  -- After wanted_items.sql: $19 as_of, $20 vector, $21 limit, $22 how many candidates, $23 how many vectors are too many
  select count(*) >= $23::bigint as too_many, count(*) <= $22::bigint as saw_all
    from (select from memento.chunk_embedding e where e.profile_id = {profile} and e.project_id = $1 limit $23) e
),
candidate as materialized (
  -- All vectors of the project and nothing else; what filters leave of the nearest is looked at afterwards. Plus zero is an order
  -- that no index has.
  select e.chunk_id, (e.embedding::{vector} {nearer} $20::real[]::{vector}) + 0 as distance
    from memento.chunk_embedding e
   where e.profile_id = {profile} and e.project_id = $1 and not (select n.too_many from counted n)
   order by distance, e.chunk_id
   limit $22
)
