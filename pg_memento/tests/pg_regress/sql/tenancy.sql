-- Projects, members and levels.
select memento.current_project();
select memento.create_project('tenancy') is not null as made;
select memento.create_project('tenancy');
select memento.create_project('tenancy', 'other workspace') is not null as made;
select memento.use_project('tenancy');
select memento.use_project('other workspace/tenancy') is not null as used;
select memento.use_project('nowhere');
select memento.use_project('a/b/c');

-- The setting is the same thing, by name or by id, and can be given to a role.
set memento.project = 'default/tenancy';
select name from memento.project where project_id = memento.current_project();
reset memento.project;
select memento.use_project('default/tenancy', is_local => true) is not null as used;
select name from memento.project where project_id = memento.current_project();

create role regress_reader;
create role regress_writer;
create role regress_stranger;
select memento.grant_access('regress_reader', 'default/tenancy', 'read');
select memento.grant_access('regress_writer', 'default/tenancy', 'write');
select memento.grant_access('regress_writer', 'default/tenancy', 'everything');
select memento.grant_access('regress_nobody', 'default/tenancy', 'read');

set memento.project = 'default/tenancy';
set role regress_writer;
select memento.remember('Tenants do not see each other.') ->> 'status' as status;
select memento.grant_access('regress_writer', 'default/tenancy', 'admin');
select memento.create_project('mine');
insert into memento.item (project_id) select memento.current_project();
select project_id = memento.current_project() as own from memento.item;
select w.name as workspace, p.name as project from memento.workspace w join memento.project p using (workspace_id);

set role regress_reader;
select excerpt from memento.recall('tenants');
select memento.remember('not allowed');
reset memento.project;
select memento.recall('tenants');
select memento.use_project('other workspace/tenancy');

set role regress_stranger;
select memento.recall('tenants');
select * from memento.item;

reset role;
select role_name, level from memento.project_member order by 1;
select memento.revoke_access('regress_reader', 'default/tenancy');
select memento.revoke_access('regress_reader', 'default/tenancy');
select memento.revoke_access('regress_writer', 'default/tenancy');
drop role regress_reader, regress_writer, regress_stranger;

-- The default project stays.
delete from memento.project where name = 'default';
delete from memento.workspace where name = 'default';
