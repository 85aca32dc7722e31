, in_scope as materialized (
  -- After wanted_items.sql: $19 the words as a tsquery, $21 as_of, $22 limit, $23 the query to score by, $24 how many chunks to look
  -- into, of the newest items
  select c.chunk_id
    from wanted i
    join memento.version v on v.project_id = $1 and v.item_id = i.item_id
    join wanted_chunk c on c.version_id = v.version_id
   where case when $21::timestamptz is null then v.is_latest
              else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
   order by i.created_at desc, i.item_id desc, c.chunk_id desc
   limit $24::bigint
),
ranked as materialized (
  select c.chunk_id, memento._bm25(c.tsv, $23) as score
    from in_scope s
    join memento.chunk c on c.project_id = $1 and c.chunk_id = s.chunk_id
   where c.tsv @@ $19::text::tsquery
   order by score desc, c.chunk_id
   limit $22
)
select r.chunk_id, r.score, n.looked_at
  from (select count(*) as looked_at from in_scope) n left join ranked r on r.score > 0
 order by r.score desc, r.chunk_id
