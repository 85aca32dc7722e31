-- $1 project, $2 version, then one element for each chunk
insert into memento.chunk
  (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, section_anchor, heading_path, chunk_text)
select $1, $2, c.position - 1, c.start_char, c.end_char, c.token_count, c.block_kind, c.section_anchor,
       array(select pg_catalog.jsonb_array_elements_text(c.heading_path::jsonb)), c.chunk_text
  from unnest($3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[])
       with ordinality as c(start_char, end_char, token_count, block_kind, section_anchor, heading_path, chunk_text, position)
