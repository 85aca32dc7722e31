-- $1 project, $2 words: the chunks of versions that are to be counted (1) or counted no longer (-1), of the first thousand that have changed
select x.sign, memento._word_count(c.tsv), memento._words_among(c.tsv, $2)
  from (select p.version_id, memento._counts($1, p.version_id) as sign
          from (select distinct f.version_id
                  from (select f.version_id from memento.lexical_pending f where f.project_id = $1 order by f.project_id, f.pending_id limit 1000) f) p) x
  join memento.chunk c on c.project_id = $1 and c.version_id = x.version_id
 where x.sign <> 0
