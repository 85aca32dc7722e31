-- $1 project, $2 words, $3 category, $4 and $5 from when to when, $6 artifact uid, $7 words of an actor, $8 of the subject, $9 least confidence: null
-- for any; $10 how many rows are looked at, spread evenly over the table: how many of them are wanted, and about how many rows there are.
with size as materialized (
  select pg_catalog.pg_relation_size(c.oid) / current_setting('block_size')::bigint as pages,
         case when c.relpages > 0 and c.reltuples > 0 then c.reltuples / c.relpages else 1 end as density
    from pg_class c where c.oid = 'memento.semantic_event'::regclass
)
select (select count(*) from memento.semantic_event e
         where e.ctid = any (array(select pg_catalog.format('(%s,1)', n * s.pages / $10::bigint)::tid from size s, pg_catalog.generate_series(0, $10 - 1) n))
           and e.project_id = $1
           and ($2::text is null or e.tsv @@ (select $2::tsquery))
           and ($3::text is null or e.category = $3)
           and ($4::timestamptz is null or e.event_time >= $4)
           and ($5::timestamptz is null or e.event_time <= $5)
           and ($6::text is null or e.artifact_uid = $6)
           and ($7::text is null or e.actor_names @@ (select pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($7, '/.:=@-_', '       '))))
           and ($8::text is null or e.subject_names @@ (select pg_catalog.plainto_tsquery('pg_catalog.simple', pg_catalog.translate($8, '/.:=@-_', '       '))))
           and ($9::float8 is null or e.confidence >= $9)),
       s.pages * s.density
  from size s
