-- $1 project, $2 session: null if there is none. It does not end before the commit does.
select s.ended_at is null from memento.session s where s.project_id = $1 and s.session_id = $2 for share
