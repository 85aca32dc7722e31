-- $1 project, $2 chunk, $3 how many characters at most, $4 its evidence id. The chunk is in the middle, or its beginning is shown if it
-- is longer.
select pg_catalog.jsonb_build_object(
         'evidence_id', $4::text, 'chunk_id', c.chunk_id, 'item_id', v.item_id, 'version_num', v.version_num, 'title', i.title,
         'kind', i.kind, 'heading_path', c.heading_path, 'start_char', s.first, 'end_char', s.last,
         'evidence_start_char', c.start_char, 'evidence_end_char', c.end_char,
         'text', pg_catalog.substr(v.content, s.first + 1, s.last - s.first),
         'has_more_before', s.first > 0, 'has_more_after', s.last < s.length)
  from memento.chunk c
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join memento.item i on i.project_id = $1 and i.item_id = v.item_id
 cross join lateral (
   select pg_catalog.char_length(v.content) as length,
          greatest(0, c.start_char - greatest(0, $3::int - (c.end_char - c.start_char)) / 2) as first) f
 cross join lateral (
   select f.length, f.first, least(f.length, f.first + $3) as last) s
 where c.project_id = $1 and c.chunk_id = $2
