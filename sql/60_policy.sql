-- Row-level security, also for the owner. The projects of the role are worked out once per statement: the
-- uncorrelated subselect becomes an InitPlan.

alter table memento.workspace enable row level security, force row level security;
create policy workspace_read on memento.workspace for select
  using (workspace_id in (select p.workspace_id from memento.project p));

alter table memento.project enable row level security, force row level security;
create policy project_read on memento.project for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.project_member enable row level security, force row level security;
create policy project_member_read on memento.project_member for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.domain_term enable row level security, force row level security;
create policy domain_term_read on memento.domain_term for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.item enable row level security, force row level security;
create policy item_read on memento.item for select
  using (project_id = any (array(select memento.readable_projects())));
create policy item_write on memento.item for all
  using (project_id = any (array(select memento.writable_projects())));

alter table memento.version enable row level security, force row level security;
create policy version_read on memento.version for select
  using (project_id = any (array(select memento.readable_projects())));
create policy version_write on memento.version for all
  using (project_id = any (array(select memento.writable_projects())));

alter table memento.chunk enable row level security, force row level security;
create policy chunk_read on memento.chunk for select
  using (project_id = any (array(select memento.readable_projects())));
create policy chunk_write on memento.chunk for all
  using (project_id = any (array(select memento.writable_projects())));

alter table memento.session enable row level security, force row level security;
create policy session_read on memento.session for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.commit enable row level security, force row level security;
create policy commit_read on memento.commit for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.link enable row level security, force row level security;
create policy link_read on memento.link for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.erasure enable row level security, force row level security;
create policy erasure_read on memento.erasure for select
  using (project_id = any (array(select memento.readable_projects())));

alter table memento.event_store enable row level security, force row level security;
create policy event_store_read on memento.event_store for select
  using (project_id = any (array(select memento.readable_projects())));
create policy event_store_write on memento.event_store for all
  using (project_id = any (array(select memento.writable_projects())));
comment on policy event_store_read on memento.event_store is 'Events of the projects that the role may read.';
comment on policy event_store_write on memento.event_store is 'Events of the projects that the role may write.';

comment on policy workspace_read on memento.workspace is 'Workspaces of the projects that the role may read.';
comment on policy project_read on memento.project is 'Projects that the role may read.';
comment on policy project_member_read on memento.project_member is 'Members of the projects that the role may read.';
comment on policy domain_term_read on memento.domain_term is 'Terms of the projects that the role may read.';
comment on policy session_read on memento.session is 'Sessions of the projects that the role may read.';
comment on policy commit_read on memento.commit is 'Commits in the projects that the role may read.';
comment on policy link_read on memento.link is 'Links in the projects that the role may read.';
comment on policy erasure_read on memento.erasure is 'Receipts of the projects that the role may read.';
comment on policy item_read on memento.item is 'Items of the projects that the role may read.';
comment on policy item_write on memento.item is 'Items of the projects that the role may write.';
comment on policy version_read on memento.version is 'Versions in the projects that the role may read.';
comment on policy version_write on memento.version is 'Versions in the projects that the role may write.';
comment on policy chunk_read on memento.chunk is 'Chunks in the projects that the role may read.';
comment on policy chunk_write on memento.chunk is 'Chunks in the projects that the role may write.';
