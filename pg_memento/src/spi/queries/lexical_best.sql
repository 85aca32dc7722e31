, best as materialized (
  -- After wanted_items.sql: $19 the words as a tsquery, $20 how many to look at, $23 the query to score by, $24 how many to score at
  -- most, for what is counted may be wrong
  select m.chunk_id, m.version_id, memento._bm25(m.tsv, $23) as score
    from (select c.chunk_id, c.version_id, c.tsv
            from memento.chunk c
           where c.project_id = $1 and c.tsv @@ $19::text::tsquery
           limit $24) m
   order by score desc, m.chunk_id
   limit $20
)
