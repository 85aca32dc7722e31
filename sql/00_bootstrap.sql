-- Refuses to install where it could not work or could not be trusted. This runs with the search_path of the
-- person who installs, so every name and operator is qualified.
do $$
declare
  owner pg_catalog.oid;
  planted pg_catalog.text;
begin
  if pg_catalog.getdatabaseencoding()::pg_catalog.text operator(pg_catalog.<>) 'UTF8' then
    raise exception 'pg_memento needs a database with encoding UTF8, this one has %', pg_catalog.getdatabaseencoding()
      using errcode = 'feature_not_supported',
            detail = 'code=ENCODING_NOT_SUPPORTED',
            hint = 'create database ... encoding ''UTF8'' template template0;';
  end if;

  -- CREATE EXTENSION uses a schema that is there already. Its owner could replace what we put into it.
  select n.nspowner into owner from pg_catalog.pg_namespace n where n.nspname operator(pg_catalog.=) 'memento'::pg_catalog.name;
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.oid operator(pg_catalog.=) owner) then
    raise exception 'schema memento belongs to %, who is not a superuser', pg_catalog.pg_get_userbyid(owner)
      using errcode = 'insufficient_privilege',
            detail = 'code=SCHEMA_NOT_TRUSTED',
            hint = 'look at what is in it, then: drop schema memento; or alter schema memento owner to a superuser';
  end if;

  select pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid) into planted
    from pg_catalog.pg_depend d
   where d.refclassid operator(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass::pg_catalog.oid
     and d.refobjid operator(pg_catalog.=) (select n.oid from pg_catalog.pg_namespace n where n.nspname operator(pg_catalog.=) 'memento'::pg_catalog.name)
     and d.classid operator(pg_catalog.<>) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
   limit 1;
  if planted is not null then
    raise exception 'schema memento is not empty: %', planted
      using errcode = 'object_not_in_prerequisite_state',
            detail = 'code=SCHEMA_NOT_EMPTY',
            hint = 'move what is in it elsewhere, or drop it: drop schema memento cascade;';
  end if;
end
$$;

-- Nobody but the owner may create objects here, and nobody may look in before access is granted.
revoke all on schema memento from public;

comment on schema memento is 'pg_memento: agent memory and retrieval. Start with memento.remember() and memento.recall().';
