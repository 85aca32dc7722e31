-- $1 names
select wanted.name, e.extversion, a.default_version
  from pg_catalog.unnest($1::text[]) with ordinality as wanted(name, position)
  left join pg_catalog.pg_extension e on e.extname = wanted.name
  left join pg_catalog.pg_available_extensions() a on a.name = wanted.name
 order by wanted.position
