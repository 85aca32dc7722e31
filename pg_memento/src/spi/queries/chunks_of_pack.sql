-- $1 project, $2 chunks
select c.chunk_id,
       pg_catalog.jsonb_build_object(
         'canonical_key', i.canonical_key, 'title', i.title, 'version_num', v.version_num, 'heading_path', c.heading_path,
         'section_anchor', c.section_anchor, 'start_char', c.start_char, 'end_char', c.end_char, 'tokens', c.token_count,
         'content', c.chunk_text)
  from memento.chunk c
  join memento.version v on v.project_id = c.project_id and v.version_id = c.version_id
  join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
 where c.project_id = $1 and c.chunk_id = any ($2::bigint[])
