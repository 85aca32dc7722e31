-- docs/reference.md, made from the catalogue. Private objects begin with an underscore.
with entry(section, name, part, line) as (
  select 1, p.proname::text, 0,
         format(E'### %s\n\n```text\nmemento.%s(%s)\n  returns %s\n```\n\n%s\n', p.proname, p.proname,
                pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), obj_description(p.oid, 'pg_proc'))
    from pg_proc p
   where p.pronamespace = 'memento'::regnamespace and p.proname !~ '^_'
  union all
  select 2, c.relname::text, 0,
         format(E'### %s\n\n%s\n\n| column | type | |\n|---|---|---|', c.relname, obj_description(c.oid, 'pg_class'))
    from pg_class c
   where c.relnamespace = 'memento'::regnamespace and c.relkind in ('r', 'v') and c.relname !~ '^_'
  union all
  select 2, c.relname::text, a.attnum,
         format('| %s | %s | %s |', a.attname, format_type(a.atttypid, a.atttypmod), col_description(c.oid, a.attnum))
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'memento'::regnamespace and c.relkind in ('r', 'v') and c.relname !~ '^_'
  union all
  select 2, c.relname::text, 10000, ''
    from pg_class c
   where c.relnamespace = 'memento'::regnamespace and c.relkind in ('r', 'v') and c.relname !~ '^_'
  union all
  select 3, t.typname::text, 0,
         format(E'### %s\n\n`%s`. %s\n', t.typname,
                (select string_agg(e.enumlabel, '`, `' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
                obj_description(t.oid, 'pg_type'))
    from pg_type t
   where t.typnamespace = 'memento'::regnamespace and t.typtype = 'e'
  union all
  select 4, s.name, 0,
         format(E'### %s\n\n%s %s Default: %s. %s\n', s.name, s.short_desc, s.extra_desc,
                coalesce('`' || nullif(s.boot_val, '') || coalesce(' ' || s.unit, '') || '`', 'empty'),
                case s.context
                  when 'user' then 'Anyone can set it.'
                  when 'superuser' then 'Superusers can set it.'
                  when 'sighup' then 'Set in postgresql.conf or by `alter system`; a reload is enough.'
                  when 'postmaster' then 'Set in postgresql.conf; needs a restart.'
                end)
    from pg_settings s
   where s.name like 'memento.%'
),
heading(section, line) as (
  values (0, E'# Reference\n\nMade from the COMMENTs in the database by `scripts/update-expected`; do not edit.\n'),
         (1, E'## Functions\n'), (2, E'## Tables\n'), (3, E'## Types\n'), (4, E'## Settings\n')
)
select line from (
  select section, '' as name, -1 as part, line from heading
  union all
  select section, name, part, line from entry
) document
order by section, name collate "C", part
