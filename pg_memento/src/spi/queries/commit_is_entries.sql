-- $1 what was given as entries, $2 how many there may be
select pg_catalog.jsonb_typeof($1::jsonb) = 'array'
       and pg_catalog.jsonb_array_length(case when pg_catalog.jsonb_typeof($1) = 'array' then $1 else '[]' end) between 1 and $2::int
       and not exists (select from pg_catalog.jsonb_path_query(
                         case when pg_catalog.jsonb_typeof($1) = 'array' then $1 else '[]' end, 'strict $[*]') e
                        where pg_catalog.jsonb_typeof(e) <> 'object')
