-- $1 project, $2 query: its words, how often it says each, and in how many chunks each is counted
select w.lexeme, coalesce(pg_catalog.cardinality(w.positions), 1)::bigint, coalesce(s.chunk_count, 0)
  from pg_catalog.unnest(memento._words($2::text)) w
  left join memento.lexeme_stat s on s.project_id = $1 and s.lexeme = w.lexeme
