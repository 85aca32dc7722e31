-- $1 project, $2 profile: pgvector's schema, and how many vectors the profile's index has, null if there is no index that can be
-- used; nothing if the project has no vector. Asking for pgvector's type loads it, so that its settings are known.
select n.nspname::text, p.distance, p.dims,
       (select greatest(c.reltuples, 0)::float8
          from pg_catalog.pg_class c
          join pg_catalog.pg_index i on i.indexrelid = c.oid
         where c.relnamespace = 'memento'::regnamespace and c.relname = memento._index_name($2) and i.indisvalid)
  from memento.embedding_profile p
 cross join pg_catalog.pg_extension x
  join pg_catalog.pg_namespace n on n.oid = x.extnamespace
 cross join lateral (
   select e.embedding::text <> '' as is_there from memento.chunk_embedding e where e.project_id = $1 and e.profile_id = $2 limit 1) loaded
 where p.profile_id = $2 and x.extname = 'vector' and loaded.is_there
