-- What a role gets with its first project and loses with its last: the use of the schema. Which rows it sees is
-- decided by the policies, what it may do by each function. Private objects begin with an underscore.

create function memento._grant_use(role name) returns void
  language plpgsql volatile strict parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  object text;
begin
  execute format('grant usage on schema memento to %I', role);
  -- Members of the extension only: what an administrator adds to the schema is not given away.
  for object in
    select case d.classid
             when 'pg_class'::regclass then format('select on table %s', d.objid::regclass)
             when 'pg_proc'::regclass then format('execute on routine %s', d.objid::regprocedure)
             else format('usage on type %s', d.objid::regtype)
           end
      from pg_depend d
      join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid and d.deptype = 'e'
      left join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid and c.relkind in ('r', 'p', 'v')
      left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
      left join pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid and t.typtype = 'e'
     where e.extname = 'pg_memento'
       and coalesce(c.relname, p.proname, t.typname) !~ '^_'
  loop
    execute format('grant %s to %I', object, role);
  end loop;
end
$$;
comment on function memento._grant_use(name) is 'internal: lets a role use the schema';

create function memento._revoke_use_from_stranger(role name) returns void
  language plpgsql volatile strict parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from memento.project_member m where m.role_name = role)
     or not exists (select from pg_roles r where r.rolname = role) then
    return;
  end if;
  execute format('revoke all on all tables in schema memento from %I', role);
  execute format('revoke all on all routines in schema memento from %I', role);
  execute format('revoke all on type memento.access_level from %I', role);
  execute format('revoke all on schema memento from %I', role);
end
$$;
comment on function memento._revoke_use_from_stranger(name) is 'internal: takes the use of the schema from a role without a project';

comment on function memento.use_project(text, boolean) is
  'Makes a project the one that this session works in, and returns its id. Give an id, a name, or workspace/name. With is_local only until the end of the transaction. Needs read access.';
comment on function memento.current_project() is
  'The id of the project that this session works in: the one chosen by use_project() or the setting memento.project, else the default project. An error if the role may not read it.';
comment on function memento.create_project(text, text) is
  'Makes a project, and its workspace if that is new, and returns its id. For superusers and for admins of a project in that workspace; the latter become admin of the new one.';
comment on function memento.grant_access(text, text, text) is
  'Gives a role read, write or admin access to a project, in place of what it had. Needs admin access.';
comment on function memento.revoke_access(text, text) is
  'Takes a role''s access to a project; false if it had none. Needs admin access.';
comment on function memento.readable_projects() is
  'The ids of the projects that the current role may read. The policies use it.';
comment on function memento.writable_projects() is
  'The ids of the projects that the current role may write. The policies use it.';
comment on function memento.projects_resolve(text, text, text, boolean, text) is
  'The project that somebody works on, by its repository, or else by its directory, or by its name; it becomes the project of the session. With create_if_missing it is made if there is none, as create_project() would. Returns project_id, workspace_id, workspace_name, project_key, display_name, level, created_at, and created.';
comment on function memento.projects_list(text, int, text) is
  'The projects that the role can see, by workspace and name: at most max_projects. next_after is where the next page begins, null on the last.';
