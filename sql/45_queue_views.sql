-- Work is announced at commit: to the background worker in shared memory, to others by a notification, which costs a lock on all of the
-- server's notifications and is sent only where somebody listens.
create function memento._announce() returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform memento._wake_worker();
  if exists (select from memento.worker w where w.listens and w.heartbeat_at > now() - interval '2 minutes') then
    perform pg_notify('memento_job', '');
  end if;
end
$$;
comment on function memento._announce() is 'internal: wakes the workers at commit, because jobs can be taken';

create function memento._announce_jobs() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform memento._announce();
  return null;
end
$$;
comment on function memento._announce_jobs() is 'internal: wakes the workers when new jobs are committed';
create trigger job_insert_announce after insert on memento.job
  for each statement execute function memento._announce_jobs();

-- What a person looks at. With the rights of who looks: the policies of the tables hold.

-- The table of a server that only reads is not there: it is not logged, so a standby has none of it.
create function memento.workers_heard_of() returns setof memento.worker
  language plpgsql stable parallel restricted rows 10
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not pg_is_in_recovery() then
    return query select w.* from memento.worker w;
  end if;
end
$$;
comment on function memento.workers_heard_of() is 'The workers that have said in the last day that they are there; none on a standby. See worker_status.';

create view memento.worker_status with (security_invoker = true) as
  select 'background' as worker_id, s.pid, s.state, s.since as started_at, s.pid is not null as is_alive,
         null::int as in_flight, null::bigint as jobs_done, null::bigint as jobs_failed, s.last_error, null::text as version,
         '{}'::jsonb as unusable
    from memento.worker_slots() s
   where s.database = current_database()
  union all
  select w.worker_id, null, case when w.heartbeat_at > pg_catalog.now() - interval '2 minutes' then 'running' else 'silent' end, w.started_at,
         w.heartbeat_at > pg_catalog.now() - interval '2 minutes', w.in_flight, w.jobs_done, w.jobs_failed, w.last_error, w.version, w.unusable
    from memento.workers_heard_of() w;
comment on view memento.worker_status is 'The workers of this database: the background worker, and those on other machines that were heard of in the last day.';
comment on column memento.worker_status.worker_id is 'background, or the name of another one.';
comment on column memento.worker_status.pid is 'Process of the background worker.';
comment on column memento.worker_status.state is 'What it is doing.';
comment on column memento.worker_status.started_at is 'Since when.';
comment on column memento.worker_status.is_alive is 'Whether it takes jobs.';
comment on column memento.worker_status.in_flight is 'How many jobs it had when it was last heard of.';
comment on column memento.worker_status.jobs_done is 'How many jobs it has done.';
comment on column memento.worker_status.jobs_failed is 'How many attempts have failed.';
comment on column memento.worker_status.last_error is 'SQLSTATE or code of the last failure.';
comment on column memento.worker_status.version is 'Its version; the background worker has the library''s.';
comment on column memento.worker_status.unusable is 'The models that it leaves to others because of its own set-up, by the key of their profile: code and message.';

create view memento.queue_status with (security_invoker = true) as
  select j.project_id, j.kind, j.state, pg_catalog.count(*) as jobs, pg_catalog.min(j.created_at) as oldest_at,
         pg_catalog.min(j.claimable_at) filter (where j.state = 'pending' and j.claimable_at < 'infinity') as next_at
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
  select j.project_id, j.job_id, j.kind, j.version_id, j.profile_id, j.failed_at, j.attempt as attempts,
         j.errors -> -1 ->> 'code' as code, j.errors -> -1 ->> 'message' as message, j.errors -> -1 ->> 'hint' as hint, j.errors
    from memento.job j
   where j.failed_at is not null;
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
  with alive as materialized (select w.worker_id, w.unusable from memento.worker_status w where w.is_alive)
  select j.project_id, j.job_id, j.kind, b.blocker, b.until, b.detail
    from memento.job j
    left join memento.embedding_profile p on p.profile_id = j.profile_id
    left join memento.chat_profile c on j.lane = 'extract_events:' || c.profile_id::text
    left join memento.endpoint_pause e on e.endpoint = coalesce(p.endpoint, c.endpoint) and e.paused_until > pg_catalog.now() and j.kind <> 'build_index'
    left join memento.budget u on u.project_id = j.project_id and u.spent_until > pg_catalog.now()
      and (j.kind in ('embed', 'entities', 'interpret') or pg_catalog.starts_with(j.lane, 'extract_events:'))
   cross join lateral (
     select 'paused' as blocker, null::timestamptz as until, q.reason as detail
       from memento.queue_pause q where q.project_id = j.project_id and (q.kind = j.kind or (q.kind = '*' and j.kind <> 'build_index'))
     union all
     select 'budget_spent', u.spent_until, pg_catalog.format('%s tokens for a %s', u.max_tokens, u.period) where u.project_id is not null
     union all
     select 'endpoint_paused', e.paused_until, e.code || ': ' || e.reason where e.endpoint is not null
     union all
     select 'no_handler', null, pg_catalog.format('no worker does jobs of kind %s', j.kind) where j.kind <> all (memento.job_kinds())
     union all
     select 'retry', j.claimable_at, j.errors -> -1 ->> 'code' where j.claimable_at > pg_catalog.now() and j.failures > 0
     union all
     select 'delayed', j.claimable_at, null where j.claimable_at > pg_catalog.now()
     union all
     select 'no_worker', null, 'no worker has been heard of: preload the library, run memento-worker, or call memento.drain()'
      where not exists (select from alive)
     union all
     select 'no_able_worker', null,
            (select pg_catalog.format('%s: %s (%s)', m.model ->> 'code', m.model ->> 'message', w.worker_id)
               from alive w cross join lateral (select w.unusable -> coalesce(p.profile_id, c.profile_id)::text as model) m
              where m.model is not null order by w.worker_id limit 1)
      where j.kind <> 'build_index' and coalesce(p.profile_id, c.profile_id) is not null
        and not exists (select from alive w where w.unusable -> coalesce(p.profile_id, c.profile_id)::text is null)
     union all
     select 'waiting', null, 'it is due and will be taken next'
     limit 1) b
   where j.state = 'pending';
comment on view memento.job_blockers is 'Why a pending job is not being worked on: the first reason that holds.';
comment on column memento.job_blockers.project_id is 'The project.';
comment on column memento.job_blockers.job_id is 'The job.';
comment on column memento.job_blockers.kind is 'What is to be done.';
comment on column memento.job_blockers.blocker is 'paused, budget_spent, endpoint_paused, no_handler, retry, delayed, no_worker, no_able_worker (each leaves the model to others), or waiting if nothing blocks it.';
comment on column memento.job_blockers.until is 'Until when, if that is known.';
comment on column memento.job_blockers.detail is 'More about it.';
