-- Row-level security, also for the owner. The projects of the role are worked out once per statement: the
-- uncorrelated subselect becomes an InitPlan.

alter table memento.workspace enable row level security, force row level security;
create policy workspace_read on memento.workspace for select
  using (workspace_id in (select p.workspace_id from memento.project p));
comment on policy workspace_read on memento.workspace is 'Workspaces of the projects that the role may read.';

-- Every table with a project_id is read by those who may read the project. Nothing is written but by functions, which act as
-- the owner; the four that writers of a project may also write to directly, where an administrator grants it, are named.
do $$
declare
  tenant record;
begin
  for tenant in
    select c.relname as name, c.relname in ('item', 'version', 'chunk', 'event_store') as is_written
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
     where c.relnamespace = 'memento'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname
  loop
    execute pg_catalog.format('alter table memento.%I enable row level security, force row level security', tenant.name);
    execute pg_catalog.format(
      'create policy %I on memento.%I for select using (project_id = any (array(select memento.readable_projects())))',
      tenant.name || '_read', tenant.name);
    execute pg_catalog.format('comment on policy %I on memento.%I is %L', tenant.name || '_read', tenant.name,
      'Rows of the projects that the role may read.');
    if tenant.is_written then
      execute pg_catalog.format(
        'create policy %I on memento.%I for all using (project_id = any (array(select memento.writable_projects())))',
        tenant.name || '_write', tenant.name);
      execute pg_catalog.format('comment on policy %I on memento.%I is %L', tenant.name || '_write', tenant.name,
        'Rows of the projects that the role may write.');
    end if;
  end loop;
end
$$;

-- Not of a tenant: which models there are and which endpoints pause is for every member, for nobody to write.
alter table memento.embedding_profile enable row level security, force row level security;
create policy embedding_profile_read on memento.embedding_profile for select using (true);
alter table memento.chat_profile enable row level security, force row level security;
create policy chat_profile_read on memento.chat_profile for select using (true);
alter table memento.endpoint_pause enable row level security, force row level security;
create policy endpoint_pause_read on memento.endpoint_pause for select using (true);
alter table memento.worker enable row level security, force row level security;
create policy worker_read on memento.worker for select using (true);
comment on policy embedding_profile_read on memento.embedding_profile is 'All profiles.';
comment on policy chat_profile_read on memento.chat_profile is 'All profiles.';
comment on policy endpoint_pause_read on memento.endpoint_pause is 'All pauses of endpoints.';
comment on policy worker_read on memento.worker is 'All workers.';
