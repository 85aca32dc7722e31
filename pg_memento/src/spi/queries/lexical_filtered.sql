-- After wanted_items.sql: $17 the words as a tsquery, $19 as_of, $20 limit, $21 the query to score by
select c.chunk_id, memento._bm25(c.tsv, $21) as score, null::bigint
  from memento.chunk c
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join wanted i on i.item_id = v.item_id
 where c.project_id = $1 and c.tsv @@ $17::text::tsquery
   and case when $19::timestamptz is null then v.is_latest
            else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
 order by score desc, c.chunk_id
 limit $20
