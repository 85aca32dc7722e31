-- $1 project, $2 version, $3 version of the rules and $4 of the terms, then one element for each chunk
insert into memento.chunk
  (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, section_anchor, heading_path, chunk_text,
   tech_tokens, speakers, rules_version, terms_version)
select $1, $2, c.position - 1, c.start_char, c.end_char, c.token_count, c.block_kind, c.section_anchor,
       array(select pg_catalog.jsonb_array_elements_text(c.heading_path::jsonb)), c.chunk_text,
       pg_catalog.string_to_array(c.tech_tokens, E'\n'), pg_catalog.string_to_array(c.speakers, E'\n'), $3::int, $4::int
  from unnest($5::int[], $6::int[], $7::int[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
              $13::text[])
       with ordinality as c(start_char, end_char, token_count, block_kind, section_anchor, heading_path, chunk_text, tech_tokens,
                            speakers, position)
