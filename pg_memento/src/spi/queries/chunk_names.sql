-- $1 project, $2 version, $3 artifact id
select memento._chunk_name($3::text, c.ordinal, c.chunk_text)
  from memento.chunk c
 where c.project_id = $1 and c.version_id = $2
 order by c.ordinal
