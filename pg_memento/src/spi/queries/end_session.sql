-- $1 project, $2 session, $3 summary: ends it once
update memento.session s
   set ended_at = coalesce(s.ended_at, pg_catalog.clock_timestamp()), summary = coalesce($3::text, s.summary)
 where s.project_id = $1 and s.session_id = $2
returning pg_catalog.jsonb_build_object(
  'session_id', s.session_id, 'started_at', s.started_at, 'ended_at', s.ended_at, 'title', s.title, 'summary', s.summary,
  'commits', (select count(*) from memento.commit c where c.project_id = $1 and c.session_id = $2))
