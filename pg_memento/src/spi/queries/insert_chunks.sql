insert into memento.chunk (project_id, item_id, version_id, ordinal, start_char, end_char, chunk_text)
select $1, $2, $3, c.position - 1, c.start_char, c.end_char, c.chunk_text
  from unnest($4::int[], $5::int[], $6::text[]) with ordinality as c(start_char, end_char, chunk_text, position)
