-- $1 project, $2 commit, $3 result
update memento.commit set result = $3::jsonb where project_id = $1 and commit_id = $2
