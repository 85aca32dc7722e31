insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, chunk_text)
select $1, $2, c.position - 1, c.start_char, c.end_char, c.chunk_text
  from unnest($3::int[], $4::int[], $5::text[]) with ordinality as c(start_char, end_char, chunk_text, position)
