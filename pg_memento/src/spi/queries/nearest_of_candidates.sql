, nearest as (
  -- After the candidates of nearest_by_index.sql or nearest_by_scan.sql
  select n.chunk_id, n.distance
    from candidate n
    join wanted_chunk c on c.chunk_id = n.chunk_id
    join memento.version v on v.project_id = $1 and v.version_id = c.version_id
    join wanted i on i.item_id = v.item_id
   where case when $19::timestamptz is null then v.is_latest
              else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
   order by n.distance, n.chunk_id
   limit $21::int
)
select f.chunk_id, f.distance, n.too_many, n.saw_all
  from counted n left join nearest f on true
 order by f.distance, f.chunk_id
