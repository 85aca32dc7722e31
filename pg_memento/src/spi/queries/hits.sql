-- $1 project, $2 chunks
select c.chunk_id, v.item_id, v.version_num, i.title, i.kind, c.heading_path, c.section_anchor, c.start_char, c.end_char, c.chunk_text,
       c.speakers
  from memento.chunk c
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join memento.item i on i.project_id = $1 and i.item_id = v.item_id
 where c.project_id = $1 and c.chunk_id = any ($2::bigint[])
