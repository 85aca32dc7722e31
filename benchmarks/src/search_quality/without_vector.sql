-- $1 how many: chunks without a vector, with the hash of their text
select c.chunk_id, sha256(convert_to(c.chunk_text, 'UTF8')), c.chunk_text
  from memento.chunk c
 where not exists (select from memento.chunk_embedding e where e.project_id = c.project_id and e.chunk_id = c.chunk_id)
 order by c.chunk_id
 limit $1
