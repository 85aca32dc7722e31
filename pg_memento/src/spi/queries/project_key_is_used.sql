-- $1 workspace, $2 key
select from memento.project p
  join memento.workspace w on w.workspace_id = p.workspace_id
 where w.name = $1::text and p.project_key = $2::text
