-- Every object of the extension. A new one appears here, and so does one that nobody meant to add.
select pg_catalog.pg_describe_object(d.classid, d.objid, 0) as object
  from pg_depend d
  join pg_extension e on e.oid = d.refobjid and d.refclassid = 'pg_extension'::regclass
 where e.extname = 'pg_memento' and d.deptype = 'e'
   -- Row and array types are listed by some servers only.
   and not exists (select from pg_type t where d.classid = 'pg_type'::regclass and t.oid = d.objid and (t.typrelid <> 0 or t.typelem <> 0))
 order by pg_catalog.pg_describe_object(d.classid, d.objid, 0) collate "C";

-- Every function: volatility, strictness, parallel safety, and the settings it pins.
select p.oid::regprocedure as function, p.provolatile as volatility, p.proisstrict as strict, p.proparallel as parallel,
       p.prosecdef as security_definer, p.proconfig as pinned
  from pg_proc p
 where p.pronamespace = 'memento'::regnamespace
 order by p.oid::regprocedure::text collate "C";

-- Functions without a pinned search_path run no SQL, but for _place_event(), whose statement qualifies operators too.
select p.oid::regprocedure as function
  from pg_proc p
 where p.pronamespace = 'memento'::regnamespace and p.proconfig is null
 order by 1;

-- Who else than the owner may do something: nobody, until access is granted.
select 'schema' as object, a.grantee::regrole, a.privilege_type
  from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'memento' and a.grantee <> n.nspowner
union all
select c.oid::regclass::text, a.grantee::regrole, a.privilege_type
  from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
 where c.relnamespace = 'memento'::regnamespace and a.grantee <> c.relowner
union all
select p.oid::regprocedure::text, a.grantee::regrole, a.privilege_type
  from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
 where p.pronamespace = 'memento'::regnamespace and a.grantee <> p.proowner
union all
select t.oid::regtype::text, a.grantee::regrole, a.privilege_type
  from pg_type t, aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a
 where t.typnamespace = 'memento'::regnamespace and t.typrelid = 0 and t.typelem = 0 and a.grantee <> t.typowner;

-- What a member gets.
create role regress_member;
select memento.grant_access('regress_member', 'default', 'read');
select 'schema' as object, string_agg(a.privilege_type, ', ') as privileges
  from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'memento' and a.grantee = 'regress_member'::regrole
union all
(select c.oid::regclass::text, string_agg(a.privilege_type, ', ')
   from pg_class c, aclexplode(c.relacl) a
  where c.relnamespace = 'memento'::regnamespace and a.grantee = 'regress_member'::regrole
  group by 1 order by 1)
union all
(select p.oid::regprocedure::text, string_agg(a.privilege_type, ', ')
   from pg_proc p, aclexplode(p.proacl) a
  where p.pronamespace = 'memento'::regnamespace and a.grantee = 'regress_member'::regrole
  group by 1 order by 1);
select memento.revoke_access('regress_member', 'default');
drop role regress_member;

-- Tenant tables: policies on, also for the owner; keys begin with the project; rows and sequences are dumped.
select c.relname, c.relrowsecurity as rls, c.relforcerowsecurity as forced, c.oid = any (e.extconfig) as dumped,
       (select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'p') as primary_key
  from pg_class c, pg_extension e
 where c.relnamespace = 'memento'::regnamespace and c.relkind in ('r', 'S') and e.extname = 'pg_memento'
 order by c.relname collate "C";
select k.conrelid::regclass as from_table, pg_get_constraintdef(k.oid) as foreign_key
  from pg_constraint k
 where k.connamespace = 'memento'::regnamespace and k.contype = 'f'
 order by 1, 2;
