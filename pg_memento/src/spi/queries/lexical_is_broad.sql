-- $1 project, $2 the words as a tsquery, $3 how many matches are many
select count(*) > $3 from (select from memento.chunk c where c.project_id = $1 and c.tsv @@ $2::text::tsquery limit $3 + 1) c
