, in_scope as materialized (
  -- After wanted_items.sql: $19 as_of, $20 vector, $21 limit, $22 how many chunks are too many
  select c.chunk_id
    from wanted i
    join memento.version v on v.project_id = $1 and v.item_id = i.item_id
    join wanted_chunk c on c.version_id = v.version_id
   where case when $19::timestamptz is null then v.is_latest
              else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
   limit $22::bigint
),
counted as materialized (
  select count(*) >= $22 as too_many from in_scope
),
nearest as (
  -- Plus zero is an order that no index has.
  select e.chunk_id, (e.embedding::{vector} {nearer} $20::real[]::{vector}) + 0 as distance
    from counted n
   cross join in_scope s
    join memento.chunk_embedding e on e.project_id = $1 and e.chunk_id = s.chunk_id and e.profile_id = {profile}
   where not n.too_many
   order by distance, e.chunk_id
   limit $21::int
)
select f.chunk_id, f.distance, n.too_many, true
  from counted n left join nearest f on true
 order by f.distance, f.chunk_id
