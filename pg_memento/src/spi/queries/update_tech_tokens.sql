-- $1 project, $2 version of the rules and $3 of the terms, then one element for each chunk
update memento.chunk c
   set tech_tokens = pg_catalog.string_to_array(n.tech_tokens, E'\n'), rules_version = $2::int, terms_version = $3::int
  from unnest($4::bigint[], $5::text[]) as n(chunk_id, tech_tokens)
 where c.project_id = $1 and c.chunk_id = n.chunk_id
