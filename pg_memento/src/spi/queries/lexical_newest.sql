, best as materialized (
  -- As lexical_best.sql, but only the newest $24 that match are scored, of the newest $25: for words that do not tell chunks apart.
  select n.chunk_id, n.version_id, memento._bm25(n.tsv, $23) as score
    from (select c.chunk_id, c.version_id, c.tsv
            from (select c.*
                    from memento.chunk c
                   where c.project_id = $1
                   order by c.project_id desc, c.chunk_id desc
                   limit $25::bigint) c
           where c.tsv @@ $19::text::tsquery
           limit $24) n
   order by score desc, n.chunk_id
   limit $20
)
