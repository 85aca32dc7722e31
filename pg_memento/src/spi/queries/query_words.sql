-- $1 query. Its words, taken apart by the parser that made the index and joined by "or": no text is a syntax error.
select pg_catalog.string_agg(pg_catalog.quote_literal(w.lexeme), ' | ')
  from pg_catalog.unnest(pg_catalog.to_tsvector('pg_catalog.english', $1::text)) w
