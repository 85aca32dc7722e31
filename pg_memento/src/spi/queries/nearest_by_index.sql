, candidate as materialized (
  -- After wanted_items.sql: $17 as_of, $18 vector, $19 limit, $20 how many candidates. From the index alone; what filters leave of
  -- them is looked at afterwards.
  select e.chunk_id, (e.embedding::{vector} {nearer} $18::real[]::{vector})::float8 as distance
    from memento.chunk_embedding e
   where e.profile_id = {profile} and e.project_id = $1
   order by e.embedding::{vector} {nearer} $18::real[]::{vector}
   limit $20::bigint
)
select n.chunk_id, n.distance
  from candidate n
  join memento.chunk c on c.project_id = $1 and c.chunk_id = n.chunk_id
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join wanted i on i.item_id = v.item_id
 where case when $17::timestamptz is null then v.is_latest
            else v.created_at <= $17 and (v.superseded_at is null or v.superseded_at > $17) end
 order by n.distance, n.chunk_id
 limit $19::int
