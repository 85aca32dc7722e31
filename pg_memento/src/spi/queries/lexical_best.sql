, best as materialized (
  -- After wanted_items.sql: $17 the words as a tsquery, $18 how many to look at, $21 the query to score by.
  select c.chunk_id, c.version_id, memento._bm25(c.tsv, $21) as score
    from memento.chunk c
   where c.project_id = $1 and c.tsv @@ $17::text::tsquery
   order by score desc, c.chunk_id
   limit $18
)
