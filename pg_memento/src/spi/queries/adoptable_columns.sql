-- $1 table: its columns with their types, as they are written in SQL
select a.attname::text, pg_catalog.format('%I', a.attname), pg_catalog.format_type(a.atttypid, a.atttypmod)
  from pg_catalog.pg_attribute a
 where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped
