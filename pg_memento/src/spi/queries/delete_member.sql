delete from memento.project_member where project_id = $1 and role_name = $2::name returning true
