, in_scope as materialized (
  -- After wanted_items.sql: $17 as_of, $18 vector, $19 limit, $20 how many chunks are too many; all are read if it is null
  select c.chunk_id
    from wanted i
    join memento.version v on v.project_id = $1 and v.item_id = i.item_id
    join memento.chunk c on c.project_id = $1 and c.version_id = v.version_id
   where case when $17::timestamptz is null then v.is_latest
              else v.created_at <= $17 and (v.superseded_at is null or v.superseded_at > $17) end
   limit $20::bigint
),
counted as materialized (
  select coalesce(count(*) >= $20, false) as too_many from in_scope
),
nearest as (
  select e.chunk_id, (e.embedding::{vector} {nearer} $18::real[]::{vector})::float8 as distance
    from counted n
   cross join in_scope s
    join memento.chunk_embedding e on e.project_id = $1 and e.chunk_id = s.chunk_id and e.profile_id = {profile}
   where not n.too_many
   order by distance, e.chunk_id
   limit $19::int
)
select f.chunk_id, f.distance, n.too_many
  from counted n left join nearest f on true
 order by f.distance, f.chunk_id
