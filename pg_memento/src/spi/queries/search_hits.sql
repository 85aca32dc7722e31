-- $1 project, $2 chunks, best first, $3 their scores, $4 what ranked them
select c.chunk_id, v.item_id, v.version_num, i.title, i.kind, c.heading_path, c.section_anchor, c.start_char, c.end_char, c.chunk_text,
       h.score,
       pg_catalog.jsonb_build_object('fts', pg_catalog.jsonb_build_object('rank', h.rank, 'score', h.score, 'used', $4::text))
  from unnest($2::bigint[], $3::float8[]) with ordinality h(chunk_id, score, rank)
  join memento.chunk c on c.project_id = $1 and c.chunk_id = h.chunk_id
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join memento.item i on i.project_id = $1 and i.item_id = v.item_id
 order by h.rank
