-- $1 project, $2 version: the newest job that looks for events in it, in the words of those who ask for artifacts. Attempts are those that
-- count: being told to wait by a provider does not. Codes of providers are as they were called when there was one.
select j.job_id, j.state,
       pg_catalog.jsonb_build_object(
         'job_id', j.job_id, 'status', case j.state when 'pending' then 'PENDING' when 'running' then 'PROCESSING' when 'done' then 'DONE' else 'FAILED' end,
         'state', j.state,
         'attempts', least(j.max_failures, j.failures + case when j.state in ('running', 'done') or j.state = 'failed' and j.failures = 0 then 1 else 0 end),
         'failures', j.failures, 'max_attempts', j.max_failures, 'claims', j.attempt, 'created_at', memento._utc(j.created_at),
         'updated_at', memento._utc(greatest(j.created_at, j.started_at, j.finished_at, (e.last ->> 'at')::timestamptz)),
         'locked_by', coalesce(j.claimed_by, case when j.state = 'done' then j.result ->> 'worker' end),
         'locked_at', case when j.state = 'running' then memento._utc(j.started_at) end,
         'last_error_code', case when j.state = 'failed' and (j.failures >= j.max_failures or j.lost_leases > 9) then 'MAX_ATTEMPTS_EXCEEDED'
                                 else case e.last ->> 'code' when 'PROVIDER_RATE_LIMITED' then 'OPENAI_RATE_LIMIT'
                                                             when 'PROVIDER_TIMEOUT' then 'OPENAI_TIMEOUT'
                                                             when 'PROVIDER_NOT_FOUND' then 'OPENAI_INVALID_MODEL'
                                                             else e.last ->> 'code' end end,
         'last_error_cause', e.last ->> 'code', 'last_error_message', e.last ->> 'message', 'last_error_hint', e.last ->> 'hint',
         'next_run_at', case when j.state = 'pending' and j.claimable_at < 'infinity' then memento._utc(j.claimable_at) end, 'result', j.result)
  from memento.job j
 cross join lateral (select j.errors -> -1 as last) e
 where j.project_id = $1 and j.version_id = $2::uuid and j.kind = 'extract_events'
 order by j.job_id desc
 limit 1
