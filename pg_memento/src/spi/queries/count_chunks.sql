-- $1 project, $2 version
select count(*) from memento.chunk c where c.project_id = $1 and c.version_id = $2
