-- Objects of the extension that a user can see and that say nothing about themselves.
with member as (
  select d.classid, d.objid
    from pg_depend d join pg_extension e on e.oid = d.refobjid and d.refclassid = 'pg_extension'::regclass
   where e.extname = 'pg_memento' and d.deptype = 'e'
)
select pg_describe_object(m.classid, m.objid, 0)
  from member m
 where obj_description(m.objid, m.classid::regclass::name) is null
   -- Made with their table: row types, arrays of types, indexes.
   and not exists (select from pg_type t where t.oid = m.objid and m.classid = 'pg_type'::regclass and (t.typrelid <> 0 or t.typelem <> 0))
   and not exists (select from pg_class c where c.oid = m.objid and m.classid = 'pg_class'::regclass and c.relkind in ('i', 't'))
union all
select format('column %s.%s', c.relname, a.attname)
  from member m
  join pg_class c on c.oid = m.objid and m.classid = 'pg_class'::regclass and c.relkind in ('r', 'v', 'm')
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where col_description(c.oid, a.attnum) is null
union all
select format('policy %s', p.polname)
  from member m join pg_policy p on p.polrelid = m.objid and m.classid = 'pg_class'::regclass
 where obj_description(p.oid, 'pg_policy') is null
 order by 1
