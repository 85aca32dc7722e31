, best as materialized (
  -- As lexical_best.sql, but only the newest $22 that match are scored: for words that do not tell chunks apart.
  select n.chunk_id, n.version_id, memento._bm25(n.tsv, $21) as score
    from (select c.chunk_id, c.version_id, c.tsv
            from memento.chunk c
           where c.project_id = $1 and c.tsv @@ $17::text::tsquery
           order by c.project_id desc, c.chunk_id desc
           limit $22) n
   order by score desc, n.chunk_id
   limit $18
)
