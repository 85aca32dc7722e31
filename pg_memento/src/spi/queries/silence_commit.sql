-- $1 project, $2 commit
update memento.commit set message = null where project_id = $1 and commit_id = $2 and message is not null
