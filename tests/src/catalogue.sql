-- One line for each object of the extension. Definitions by the server's own functions, so that two installations
-- that behave alike read alike.
with member as (
  select d.classid, d.objid
    from pg_depend d join pg_extension e on e.oid = d.refobjid and d.refclassid = 'pg_extension'::regclass
   where e.extname = 'pg_memento' and d.deptype = 'e'
)
select line from (
  select format('%s | %s | owner rights only: %s | %s', pg_describe_object(m.classid, m.objid, 0),
                coalesce(pg_get_functiondef(p.oid), ''),
                p.proacl is not null and not exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner),
                obj_description(p.oid, 'pg_proc')) as line
    from member m join pg_proc p on p.oid = m.objid and m.classid = 'pg_proc'::regclass
  union all
  select format('%s | kind %s | rls %s %s | owner rights only: %s | dumped: %s | %s',
                pg_describe_object(m.classid, m.objid, 0), c.relkind, c.relrowsecurity, c.relforcerowsecurity,
                not exists (select from aclexplode(c.relacl) a where a.grantee <> c.relowner),
                c.oid = any (e.extconfig), obj_description(c.oid, 'pg_class'))
    from member m join pg_class c on c.oid = m.objid and m.classid = 'pg_class'::regclass
    join pg_extension e on e.extname = 'pg_memento'
  union all
  select format('column %s.%s %s | not null %s | default %s | %s', c.relname, a.attname,
                format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
                col_description(c.oid, a.attnum))
    from member m join pg_class c on c.oid = m.objid and m.classid = 'pg_class'::regclass and c.relkind in ('r', 'v')
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  union all
  select format('constraint %s on %s %s', k.conname, c.relname, pg_get_constraintdef(k.oid))
    from member m join pg_class c on c.oid = m.objid and m.classid = 'pg_class'::regclass
    join pg_constraint k on k.conrelid = c.oid
   -- Postgres 18 lists not-null constraints here; they are in the column lines above.
   where k.contype <> 'n'
  union all
  select pg_get_indexdef(i.indexrelid)
    from member m join pg_index i on i.indrelid = m.objid and m.classid = 'pg_class'::regclass
   -- The worker makes those of profiles, when it comes to it.
   where i.indexrelid::regclass::text !~ 'chunk_embedding_hnsw_'
  union all
  select pg_get_triggerdef(t.oid)
    from member m join pg_trigger t on t.tgrelid = m.objid and m.classid = 'pg_class'::regclass and not t.tgisinternal
  union all
  select format('policy %s on %s for %s using %s check %s | %s', p.polname, p.polrelid::regclass, p.polcmd,
                pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid),
                obj_description(p.oid, 'pg_policy'))
    from member m join pg_policy p on p.polrelid = m.objid and m.classid = 'pg_class'::regclass
  union all
  select format('%s | labels %s | owner rights only: %s | %s', pg_describe_object(m.classid, m.objid, 0),
                (select string_agg(l.enumlabel, ', ' order by l.enumsortorder) from pg_enum l where l.enumtypid = t.oid),
                not exists (select from aclexplode(t.typacl) a where a.grantee <> t.typowner),
                obj_description(t.oid, 'pg_type'))
    from member m join pg_type t on t.oid = m.objid and m.classid = 'pg_type'::regclass
  union all
  select format('%s | %s %s', pg_describe_object(m.classid, m.objid, 0), v.evtevent, v.evttags)
    from member m join pg_event_trigger v on v.oid = m.objid and m.classid = 'pg_event_trigger'::regclass
) lines order by line collate "C"
