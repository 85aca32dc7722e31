-- $1 workspace, $2 name
insert into memento.project (workspace_id, name)
select w.workspace_id, $2::text from memento.workspace w where w.name = $1::text
on conflict (workspace_id, name) do nothing
returning project_id
