-- $1 project, $2 version of the rules and $3 of the terms, $4 the last chunk seen, $5 how many
select c.chunk_id, c.chunk_text
  from memento.chunk c
 where c.project_id = $1
   and c.chunk_id > $4
   and (c.rules_version <> $2::int or c.terms_version <> $3::int)
 order by c.chunk_id
 limit $5
