-- The queue: one table for all work that is done later. docs/queue.md draws its states.

create sequence memento.job_id_seq as bigint;
comment on sequence memento.job_id_seq is 'Keys of jobs.';

comment on function memento._job_is_whole(text, int, smallint, smallint, smallint, timestamptz, timestamptz, text, timestamptz, timestamptz) is
  'internal: whether a job in a state has what it must have, and nothing else';
comment on function memento._job_may_become(text, text) is 'internal: whether a job can go from one state to another';

create table memento.job (
  project_id uuid not null references memento.project on delete cascade,
  job_id bigint not null default pg_catalog.nextval('memento.job_id_seq'),
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  claimable_at timestamptz default pg_catalog.clock_timestamp(),
  -- In no index, as all that a claim changes, so that a claim writes one row and no index: see fillfactor below.
  lease_until timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- Not generated from the state: the server would make it anew with each step.
  failed_at timestamptz,
  version_id uuid,
  profile_id uuid references memento.embedding_profile on delete cascade,
  attempt int not null default 0,
  failures smallint not null default 0,
  max_failures smallint not null default 5,
  lost_leases smallint not null default 0,
  priority smallint not null default 0,
  run_again boolean not null default false,
  is_recorded boolean not null default coalesce(pg_catalog.current_setting('memento.record_events', true) = 'on', false),
  state text not null default 'pending',
  kind text not null,
  lane text not null,
  claimed_by text,
  dedup_key text,
  payload jsonb not null default '{}',
  progress jsonb,
  result jsonb,
  errors jsonb not null default '[]',
  -- Half full, because a job that finishes gets a second entry beside its first: room for it costs less than making it.
  primary key (project_id, job_id) with (fillfactor = 50),
  constraint job_version_id_fkey foreign key (project_id, version_id) references memento.version on delete cascade,
  -- By a function: the server reads the text of what is checked anew for each statement, which for one job was half of the work.
  constraint job_state_whole check (
    memento._job_is_whole(state, attempt, failures, max_failures, lost_leases, claimable_at, lease_until, claimed_by, finished_at, failed_at)),
  constraint job_errors_array check (pg_catalog.jsonb_typeof(errors) = 'array')
) with (fillfactor = 50);
alter sequence memento.job_id_seq owned by memento.job.job_id;
comment on table memento.job is 'Work that is done later, by a worker: it commits together with what it is about.';
comment on column memento.job.project_id is 'The project.';
comment on column memento.job.job_id is 'Key of the job.';
comment on column memento.job.created_at is 'When it was asked for.';
comment on column memento.job.claimable_at is 'From when on a worker may take it, the earliest first. A priority of n counts as n minutes of waiting, so that nothing waits for ever. infinity: the queue is paused. Null when it is finished.';
comment on column memento.job.lease_until is 'Until when the worker that has it keeps it, unless it says that it needs longer; then others may take it. Null when it is not running.';
comment on column memento.job.started_at is 'When it was last taken.';
comment on column memento.job.finished_at is 'When it was done, or failed for good, or was cancelled.';
comment on column memento.job.version_id is 'The version that it is about, if any; it goes with it.';
comment on column memento.job.profile_id is 'The embedding profile that it is about, if any.';
comment on column memento.job.attempt is 'How often it was taken. Who finishes it must name the attempt, so that nobody finishes what was lost.';
comment on column memento.job.failures is 'How many attempts failed by themselves. Being told to wait by a provider does not count.';
comment on column memento.job.max_failures is 'With how many failures it fails for good.';
comment on column memento.job.lost_leases is 'How often its worker vanished.';
comment on column memento.job.priority is 'From -100 to 100: how many minutes it is ahead of others.';
comment on column memento.job.run_again is 'Asked for once more while it was running: it becomes pending again instead of done.';
comment on column memento.job.is_recorded is 'Whether it records itself in event_store: memento.record_events was on where it was asked for.';
comment on column memento.job.state is 'pending, running, done, failed or cancelled.';
comment on column memento.job.kind is 'What is to be done: embed, ingest, backfill_tokens, build_index, extract_events ...';
comment on column memento.job.lane is 'Jobs that are taken together: the kind, or kind:profile. A lane that has to wait does not hold up the others.';
comment on column memento.job.claimed_by is 'The worker that has it.';
comment on column memento.job.dedup_key is 'There is at most one open job of a kind with a key.';
comment on column memento.job.payload is 'What the kind needs to know; no content.';
comment on column memento.job.progress is 'How far it is.';
comment on column memento.job.result is 'What came of it; no content.';
comment on column memento.job.errors is 'The last ten failures and delays: at, attempt, code, message, hint; no content and no secrets.';
comment on column memento.job.failed_at is 'When it failed for good; null otherwise.';
create index job_claim_idx on memento.job (lane, claimable_at, job_id) where claimable_at is not null;
create unique index job_dedup_key on memento.job (project_id, kind, dedup_key)
  where claimable_at is not null and dedup_key is not null;
create index job_version_id_idx on memento.job (project_id, version_id) where version_id is not null;
-- Without those that _sweep_jobs() leaves alone, which it would have to step over each time.
create index job_finished_at_idx on memento.job (finished_at) where finished_at is not null and kind <> 'extract_events';
-- What a pause holds, to see cheaply whether there is any that nothing holds any more.
create index job_parked_idx on memento.job (project_id, lane) where claimable_at = 'infinity';
create index job_failed_idx on memento.job (project_id, failed_at) where failed_at is not null;

-- The triggers come after the row is written: before it, the server would lock each row once more. Their conditions are evaluated
-- without calling a function that is not compiled.

-- What never changes is not checked again with every claim.
create function memento._refuse_job_form() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'a job cannot be like that: kind %, lane %, priority %', new.kind, new.lane, new.priority
    using errcode = 'check_violation', detail = 'code=JOB_FORM',
          hint = 'a kind has small letters and _, the lane is the kind or kind:more, priority is from -100 to 100, the payload is an object, and embed needs a version and a profile';
end
$$;
comment on function memento._refuse_job_form() is 'internal: refuses jobs that no worker could understand';
create trigger job_write_form after insert or update of kind, lane, version_id, profile_id, priority, payload on memento.job
  for each row
  when (not (new.kind ~ '^[a-z][a-z_]{0,62}$'
             and (new.lane = new.kind or pg_catalog.starts_with(new.lane, new.kind || ':'))
             and new.priority between -100 and 100
             and (new.kind <> 'embed' or (new.version_id is not null and new.profile_id is not null))
             and pg_catalog.jsonb_typeof(new.payload) = 'object'))
  execute function memento._refuse_job_form();

-- The state machine.
create function memento._refuse_job_state() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'a job cannot go from % to %', old.state, new.state
    using errcode = 'object_not_in_prerequisite_state', detail = 'code=JOB_STATE',
          hint = 'use memento.retry_job() or memento.cancel_job()';
end
$$;
comment on function memento._refuse_job_state() is 'internal: refuses steps that the state machine of jobs does not have';
create trigger job_update_state after update on memento.job
  for each row
  when (old.state <> new.state and not memento._job_may_become(old.state, new.state))
  execute function memento._refuse_job_state();

-- Once, when it is asked for: a row that a dump brings back is further away from its creation than that.
create function memento._advance_job() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if new.attempt = 0 and new.claimable_at between new.created_at - interval '1 s' and new.created_at + interval '1 s' then
    new.claimable_at := new.claimable_at - new.priority * interval '1 minute';
  end if;
  return new;
end
$$;
comment on function memento._advance_job() is 'internal: lets a new job wait as if it had been asked for earlier or later, by its priority';
create trigger job_insert_advance before insert on memento.job
  for each row when (new.priority <> 0) execute function memento._advance_job();

create table memento.queue_pause (
  project_id uuid not null references memento.project on delete cascade,
  kind text not null,
  paused_at timestamptz not null default pg_catalog.clock_timestamp(),
  paused_by name not null,
  reason text,
  primary key (project_id, kind)
);
comment on table memento.queue_pause is 'Kinds of jobs that a project has paused. Written by pause_queue() and resume_queue().';
comment on column memento.queue_pause.project_id is 'The project.';
comment on column memento.queue_pause.kind is 'The kind, or * for all but build_index: indexes belong to all projects.';
comment on column memento.queue_pause.paused_at is 'When.';
comment on column memento.queue_pause.paused_by is 'By which role.';
comment on column memento.queue_pause.reason is 'Why, in the words of who did it.';

create table memento.endpoint_pause (
  endpoint text primary key,
  paused_until timestamptz not null,
  code text not null,
  reason text not null
);
comment on table memento.endpoint_pause is 'Model endpoints that have asked for a pause, or are not ready. No worker calls them until then.';
comment on column memento.endpoint_pause.endpoint is 'The provider and host, as embedding_profile.endpoint has it.';
comment on column memento.endpoint_pause.paused_until is 'Until when.';
comment on column memento.endpoint_pause.code is 'Why, as a code.';
comment on column memento.endpoint_pause.reason is 'Why, in words.';

-- What is lost with it in a crash comes back with the next heartbeat.
create unlogged table memento.worker (
  worker_id text primary key,
  started_at timestamptz not null default pg_catalog.clock_timestamp(),
  heartbeat_at timestamptz not null default pg_catalog.clock_timestamp(),
  version text not null,
  kinds text[] not null,
  listens boolean not null,
  in_flight int not null default 0,
  jobs_done bigint not null default 0,
  jobs_failed bigint not null default 0,
  last_error text,
  unusable jsonb not null default '{}'
);
comment on table memento.worker is 'Workers that have been heard of, with what they have done since they started. A row for each process.';
comment on column memento.worker.worker_id is 'Its name: background, or host and process of another one.';
comment on column memento.worker.started_at is 'When it started.';
comment on column memento.worker.heartbeat_at is 'When it was last heard of. One that sleeps says nothing.';
comment on column memento.worker.version is 'Its version.';
comment on column memento.worker.kinds is 'The kinds of jobs that it does.';
comment on column memento.worker.listens is 'Whether it waits for notifications on the channel memento_job.';
comment on column memento.worker.in_flight is 'How many jobs it had at the last heartbeat.';
comment on column memento.worker.jobs_done is 'How many jobs it has done.';
comment on column memento.worker.jobs_failed is 'How many attempts have failed.';
comment on column memento.worker.last_error is 'The code of the last failure.';
comment on column memento.worker.unusable is 'The models that it leaves to others because of its own set-up, by the key of their profile: code and message.';

create sequence memento.call_id_seq as bigint;
comment on sequence memento.call_id_seq is 'Keys of model calls.';

create table memento.usage_ledger (
  project_id uuid not null references memento.project on delete cascade,
  call_id bigint not null default pg_catalog.nextval('memento.call_id_seq'),
  called_at timestamptz not null default pg_catalog.clock_timestamp(),
  role text not null,
  provider text not null,
  model text not null,
  endpoint text not null,
  outcome text not null,
  items int not null,
  tokens bigint not null,
  bytes_sent bigint not null,
  bytes_received bigint not null,
  duration_ms float8 not null,
  job_id bigint,
  primary key (project_id, call_id),
  constraint usage_ledger_role_known check (role in ('embed', 'rerank', 'chat', 'entities')),
  constraint usage_ledger_not_negative check (items >= 0 and tokens >= 0 and bytes_sent >= 0 and bytes_received >= 0 and duration_ms >= 0)
);
alter sequence memento.call_id_seq owned by memento.usage_ledger.call_id;
comment on table memento.usage_ledger is 'One row for each call of a model; no content.';
comment on column memento.usage_ledger.project_id is 'The project that it was for.';
comment on column memento.usage_ledger.call_id is 'Key of the call.';
comment on column memento.usage_ledger.called_at is 'When it ended.';
comment on column memento.usage_ledger.role is 'What the model was asked to do: embed, rerank, chat or entities.';
comment on column memento.usage_ledger.provider is 'The provider.';
comment on column memento.usage_ledger.model is 'The model.';
comment on column memento.usage_ledger.endpoint is 'The provider and host.';
comment on column memento.usage_ledger.outcome is 'ok, or the code of the failure.';
comment on column memento.usage_ledger.items is 'How many texts it had.';
comment on column memento.usage_ledger.tokens is 'How many tokens the provider counted, or we did where it does not say.';
comment on column memento.usage_ledger.bytes_sent is 'Bytes of the request.';
comment on column memento.usage_ledger.bytes_received is 'Bytes of the answer.';
comment on column memento.usage_ledger.duration_ms is 'How long it took, in milliseconds.';
comment on column memento.usage_ledger.job_id is 'One of the jobs that it was for, if any.';
create index usage_ledger_called_at_idx on memento.usage_ledger (project_id, called_at);

create table memento.budget (
  project_id uuid primary key references memento.project on delete cascade,
  period text not null,
  max_tokens bigint not null,
  spent_until timestamptz not null default '-infinity',
  spent_tokens bigint not null default 0,
  counted_at timestamptz not null default '-infinity',
  changed_at timestamptz not null default pg_catalog.clock_timestamp(),
  changed_by name not null,
  constraint budget_period_known check (period in ('day', 'month')),
  constraint budget_max_tokens_not_negative check (max_tokens >= 0)
);
comment on table memento.budget is 'How many tokens the models may be given for a project. Written by set_budget().';
comment on column memento.budget.project_id is 'The project.';
comment on column memento.budget.period is 'Counted from the beginning of the day or month, in UTC.';
comment on column memento.budget.max_tokens is 'With this many, jobs that call models wait for the next period.';
comment on column memento.budget.spent_until is 'The end of the last period in which it was spent.';
comment on column memento.budget.spent_tokens is 'What workers have spent of it in the period of counted_at, and queries until then.';
comment on column memento.budget.counted_at is 'When that was last counted in the ledger.';
comment on column memento.budget.changed_at is 'When it was set.';
comment on column memento.budget.changed_by is 'By which role.';
