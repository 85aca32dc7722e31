-- $1 entries, which are an array of objects, $2 the keys that are known
select distinct k
  from pg_catalog.jsonb_array_elements($1::jsonb) e, pg_catalog.jsonb_object_keys(e) k
 where k <> all ($2::text[])
 order by k
