-- $1 project, $2 version: the newest job that looks for events in it
select j.job_id, j.state,
       pg_catalog.jsonb_build_object(
         'job_id', j.job_id, 'status', case j.state when 'pending' then 'PENDING' when 'running' then 'PROCESSING' when 'done' then 'DONE' else 'FAILED' end,
         'state', j.state, 'attempts', j.attempt, 'failures', j.failures, 'max_attempts', j.max_failures, 'created_at', j.created_at,
         'updated_at', coalesce(j.finished_at, j.started_at, j.created_at), 'locked_by', j.claimed_by,
         'locked_at', case when j.state = 'running' then j.started_at end,
         'last_error_code', j.errors -> -1 ->> 'code', 'last_error_message', j.errors -> -1 ->> 'message', 'last_error_hint', j.errors -> -1 ->> 'hint',
         'next_run_at', case when j.state = 'pending' and j.claimable_at < 'infinity' then j.claimable_at end, 'result', j.result)
  from memento.job j
 where j.project_id = $1 and j.version_id = $2::uuid and j.kind = 'extract_events'
 order by j.job_id desc
 limit 1
