-- $1 entries, which are an array of objects, $2 the keys that are known, $3 those of them that are lists: the first value of a wrong
-- type. Postgres would turn a number into text, and so hide a mistake.
select (e.position - 1)::int, v.key,
       case when v.key = any ($3::text[]) then 'an array of strings' when v.key = 'metadata' then 'an object' else 'a string' end
  from pg_catalog.jsonb_array_elements($1::jsonb) with ordinality e(entry, position)
 cross join lateral pg_catalog.jsonb_each(e.entry) v
 where v.key = any ($2::text[])
   and pg_catalog.jsonb_typeof(v.value) <> 'null'
   and not case when v.key = any ($3)
                then pg_catalog.jsonb_typeof(v.value) = 'array'
                     and not pg_catalog.jsonb_path_exists(v.value, '$[*] ? (@.type() != "string" && @.type() != "null")')
                else pg_catalog.jsonb_typeof(v.value) = case when v.key = 'metadata' then 'object' else 'string' end end
 order by 1, 2
 limit 1
