-- What a person looks at. With the rights of who looks: the policies of the tables hold.

create view memento.queue_status with (security_invoker = true) as
  select j.project_id, j.kind, j.state, count(*) as jobs, min(j.created_at) as oldest_at,
         min(j.claimable_at) filter (where j.state = 'pending' and j.claimable_at < 'infinity') as next_at
    from memento.job j
   group by j.project_id, j.kind, j.state;
comment on view memento.queue_status is 'How many jobs there are, by kind and state, in the projects that the role may read.';
comment on column memento.queue_status.project_id is 'The project.';
comment on column memento.queue_status.kind is 'What is to be done.';
comment on column memento.queue_status.state is 'pending, running, done, failed or cancelled.';
comment on column memento.queue_status.jobs is 'How many.';
comment on column memento.queue_status.oldest_at is 'When the oldest of them was asked for.';
comment on column memento.queue_status.next_at is 'When the next of the pending ones is due.';

create view memento.failed_jobs with (security_invoker = true) as
  select j.project_id, j.job_id, j.kind, j.version_id, j.profile_id, j.finished_at as failed_at, j.attempt as attempts,
         j.errors -> -1 ->> 'code' as code, j.errors -> -1 ->> 'message' as message, j.errors -> -1 ->> 'hint' as hint, j.errors
    from memento.job j
   where j.state = 'failed';
comment on view memento.failed_jobs is 'Jobs that have failed for good, with the reason. retry_job() tries one again.';
comment on column memento.failed_jobs.project_id is 'The project.';
comment on column memento.failed_jobs.job_id is 'The job.';
comment on column memento.failed_jobs.kind is 'What was to be done.';
comment on column memento.failed_jobs.version_id is 'The version that it is about, if any.';
comment on column memento.failed_jobs.profile_id is 'The embedding profile that it is about, if any.';
comment on column memento.failed_jobs.failed_at is 'When it failed for good.';
comment on column memento.failed_jobs.attempts is 'How often it was tried.';
comment on column memento.failed_jobs.code is 'The last reason, as a code.';
comment on column memento.failed_jobs.message is 'The last reason, in words.';
comment on column memento.failed_jobs.hint is 'What to do about it.';
comment on column memento.failed_jobs.errors is 'The last ten reasons.';

create view memento.job_blockers with (security_invoker = true) as
  select j.project_id, j.job_id, j.kind, b.blocker, b.until, b.detail
    from memento.job j
    left join memento.embedding_profile p on p.profile_id = j.profile_id
    left join memento.endpoint_pause e on e.endpoint = p.endpoint and e.paused_until > now()
    left join memento.budget u on u.project_id = j.project_id and u.spent_until > now() and memento.calls_model(j.kind)
   cross join lateral (
     select 'paused' as blocker, null::timestamptz as until, q.reason as detail
       from memento.queue_pause q where q.project_id = j.project_id and q.kind in (j.kind, '*')
     union all
     select 'budget_spent', u.spent_until, format('%s tokens for a %s', u.max_tokens, u.period) where u.project_id is not null
     union all
     select 'endpoint_paused', e.paused_until, e.code || ': ' || e.reason where e.endpoint is not null
     union all
     select 'no_handler', null, format('no worker does jobs of kind %s', j.kind) where j.kind <> all (memento.job_kinds())
     union all
     select 'retry', j.claimable_at, j.errors -> -1 ->> 'code' where j.claimable_at > now() and j.failures > 0
     union all
     select 'delayed', j.claimable_at, null where j.claimable_at > now()
     union all
     select 'no_worker', null, 'no worker has been heard of: preload the library, run memento-worker, or call memento.drain()'
      where not exists (select from memento.worker_status w where w.is_alive)
     union all
     select 'waiting', null, 'it is due and will be taken next'
     limit 1) b
   where j.state = 'pending';
comment on view memento.job_blockers is 'Why a pending job is not being worked on: the first reason that holds.';
comment on column memento.job_blockers.project_id is 'The project.';
comment on column memento.job_blockers.job_id is 'The job.';
comment on column memento.job_blockers.kind is 'What is to be done.';
comment on column memento.job_blockers.blocker is 'paused, budget_spent, endpoint_paused, no_handler, retry, delayed, no_worker, or waiting if nothing blocks it.';
comment on column memento.job_blockers.until is 'Until when, if that is known.';
comment on column memento.job_blockers.detail is 'More about it.';
