-- $1 names of extensions that can be an engine, the preferred one first: what each has here. Engines give their access method the
-- same name, so the extension that owns it says which one it is.
select e.extname::text, e.extversion,
       (select pg_catalog.format('%I.%I', n.nspname, c.relname)
          from pg_catalog.pg_index i
          join pg_catalog.pg_class c on c.oid = i.indexrelid
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          join pg_catalog.pg_depend a on a.classid = 'pg_catalog.pg_am'::regclass and a.objid = c.relam
                                     and a.refclassid = 'pg_catalog.pg_extension'::regclass and a.refobjid = e.oid
         where i.indrelid = 'memento.chunk'::regclass and i.indisvalid and i.indislive
         order by c.oid limit 1),
       array(select pg_catalog.format('operator(%I.%s)', n.nspname, o.oprname)
               from pg_catalog.pg_depend d
               join pg_catalog.pg_operator o on o.oid = d.objid
               join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
              where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid
                and d.classid = 'pg_catalog.pg_operator'::regclass and o.oprname in ('@@@', '|||', '<@>')
              group by 1 order by 1),
       array(select pg_catalog.format('%I.%I', n.nspname, f.proname)
               from pg_catalog.pg_depend d
               join pg_catalog.pg_proc f on f.oid = d.objid
               join pg_catalog.pg_namespace n on n.oid = f.pronamespace
              where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid
                and d.classid = 'pg_catalog.pg_proc'::regclass and f.proname in ('score', 'match', 'to_bm25query')
              group by 1 order by 1)
  from pg_catalog.pg_extension e
 where e.extname = any ($1::text[])
 order by pg_catalog.array_position($1::text[], e.extname::text)
