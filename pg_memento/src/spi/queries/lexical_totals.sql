-- $1 project: what is counted of it, and how much has changed since
select coalesce(s.chunk_count, 0), coalesce(s.word_count, 0), s.project_id is not null,
       (select count(*) from (select from memento.lexical_pending p where p.project_id = $1 order by p.project_id, p.pending_id limit 1001) p)
  from (select) one
  left join memento.lexical_stat s on s.project_id = $1
