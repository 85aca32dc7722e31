-- $1 project, $2 profile
delete from memento.chunk_embedding e where e.project_id = $1 and e.profile_id = $2
