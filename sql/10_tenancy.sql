-- Workspaces, projects and who may use them.

create type memento.access_level as enum ('read', 'write', 'admin');
comment on type memento.access_level is 'What a role may do in a project, weakest first; each level includes the ones before it.';

create table memento.workspace (
  workspace_id uuid primary key default pg_catalog.gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default pg_catalog.now(),
  constraint workspace_name_form check (name ~ '\S' and pg_catalog.char_length(name) <= 200 and name !~ '[/[:cntrl:]]')
);
comment on table memento.workspace is 'A group of projects, for example a team or a customer.';
comment on column memento.workspace.workspace_id is 'Key of the workspace.';
comment on column memento.workspace.name is 'Unique name.';
comment on column memento.workspace.created_at is 'When it was made.';

create table memento.project (
  project_id uuid primary key default pg_catalog.gen_random_uuid(),
  workspace_id uuid not null references memento.workspace,
  name text not null,
  created_at timestamptz not null default pg_catalog.now(),
  terms_version int not null default 1,
  rules_version int not null default 0,
  secret_policy text not null default 'warn',
  active_profile_id uuid default '00000000-0000-0000-0000-000000000001' references memento.embedding_profile,
  candidate_profile_id uuid references memento.embedding_profile,
  event_profile_id uuid references memento.chat_profile,
  project_key text,
  search_weights jsonb,
  constraint project_search_weights_object check (pg_catalog.jsonb_typeof(search_weights) = 'object'),
  constraint project_key_form check (project_key ~ '\S' and pg_catalog.char_length(project_key) <= 1000),
  constraint project_workspace_id_project_key_key unique (workspace_id, project_key),
  constraint project_secret_policy_known check (secret_policy in ('ignore', 'warn', 'redact', 'refuse')),
  constraint project_candidate_is_another check (candidate_profile_id <> active_profile_id),
  constraint project_workspace_id_name_key unique (workspace_id, name),
  constraint project_name_form check (name ~ '\S' and pg_catalog.char_length(name) <= 200 and name !~ '[/[:cntrl:]]')
);
comment on table memento.project is 'The tenant: every memory belongs to one project, and its id begins every key.';
comment on column memento.project.project_id is 'Key of the project.';
comment on column memento.project.workspace_id is 'The workspace that it is in.';
comment on column memento.project.name is 'Name, unique in its workspace.';
comment on column memento.project.created_at is 'When it was made.';
comment on column memento.project.secret_policy is 'What remember() does with content that has keys or passwords in it: ignore, warn, redact or refuse.';
comment on column memento.project.active_profile_id is 'The embedding profile that searches use; null for none.';
comment on column memento.project.candidate_profile_id is 'A second one that is kept filled, to switch to or back to.';
comment on column memento.project.event_profile_id is 'The chat profile that looks for events in its documents; null for rules, which need no model. See set_event_extractor().';
comment on column memento.project.rules_version is 'The rules for technical tokens that its chunks have been asked to follow.';
comment on column memento.project.terms_version is 'Raised when the project''s terms change, so that chunks with older tokens can be told.';
comment on column memento.project.project_key is 'What it is known by on the machines of those who work on it: the URL of its repository, or a directory. Unique in its workspace. See projects_resolve().';
comment on column memento.project.search_weights is 'What the weights of the lanes of searches are multiplied by; null for 1 each. See set_search_weights().';
-- use_project() looks projects up by name alone.
create index project_name_idx on memento.project (name);

create table memento.project_member (
  project_id uuid not null references memento.project on delete cascade,
  role_name name not null,
  level memento.access_level not null,
  granted_at timestamptz not null default pg_catalog.now(),
  primary key (project_id, role_name)
);
comment on table memento.project_member is 'Which database role may do what in which project. Written by grant_access() and revoke_access().';
comment on column memento.project_member.project_id is 'The project.';
comment on column memento.project_member.role_name is 'The role; its members inherit the access as they inherit privileges. A name and not an oid, so that a dump can be restored on another server.';
comment on column memento.project_member.level is 'What it may do.';
comment on column memento.project_member.granted_at is 'When it was first granted.';
-- Policies ask for the projects of a role.
create index project_member_role_name_idx on memento.project_member (role_name, project_id) include (level);

-- The roles whose access a role has: itself, and those it inherits from. Follows memberships from the role, so
-- the cost does not grow with the number of roles on the server.
create function memento._held_roles(role oid) returns setof name
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  with recursive reachable(roleid) as (
    select role
    union
    select a.roleid from pg_catalog.pg_auth_members a join reachable r on a.member = r.roleid
  )
  select a.rolname from reachable r join pg_catalog.pg_authid a on a.oid = r.roleid
   where pg_catalog.pg_has_role(role, r.roleid, 'usage');
end;
comment on function memento._held_roles(oid) is 'internal: the names of the roles whose privileges a role has';

-- The default workspace and project are made by CREATE EXTENSION and are in every dump as well: restoring them
-- is an update of what is there.
create function memento._keep_default_workspace() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  update memento.workspace w set name = new.name, created_at = new.created_at where w.workspace_id = new.workspace_id;
  return null;
end
$$;
comment on function memento._keep_default_workspace() is 'internal: makes a restore of the default workspace an update';

create function memento._keep_default_project() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  update memento.project p
     set workspace_id = new.workspace_id, name = new.name, created_at = new.created_at, terms_version = new.terms_version,
         rules_version = new.rules_version,
         secret_policy = new.secret_policy, active_profile_id = new.active_profile_id,
         candidate_profile_id = new.candidate_profile_id, event_profile_id = new.event_profile_id, project_key = new.project_key,
         search_weights = new.search_weights
   where p.project_id = new.project_id;
  return null;
end
$$;
comment on function memento._keep_default_project() is 'internal: makes a restore of the default project an update';

insert into memento.workspace (workspace_id, name) values ('00000000-0000-0000-0000-000000000001', 'default');
insert into memento.project (project_id, workspace_id, name)
values ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001', 'default');

create trigger workspace_insert_keep_default before insert on memento.workspace
  for each row when (new.workspace_id = '00000000-0000-0000-0000-000000000001')
  execute function memento._keep_default_workspace();
create trigger project_insert_keep_default before insert on memento.project
  for each row when (new.project_id = '00000000-0000-0000-0000-000000000001')
  execute function memento._keep_default_project();
-- The default project cannot be deleted: functions fall back on it, and the triggers above rely on it.
create function memento._refuse_default() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the default % cannot be deleted', tg_table_name
    using errcode = 'object_not_in_prerequisite_state', detail = 'code=DEFAULT_PROJECT',
          hint = 'delete the memories in it instead';
end
$$;
comment on function memento._refuse_default() is 'internal: keeps the default workspace and project';
create trigger workspace_delete_refuse_default before delete on memento.workspace
  for each row when (old.workspace_id = '00000000-0000-0000-0000-000000000001')
  execute function memento._refuse_default();
create trigger project_delete_refuse_default before delete on memento.project
  for each row when (old.project_id = '00000000-0000-0000-0000-000000000001')
  execute function memento._refuse_default();
