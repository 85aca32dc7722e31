-- What model calls cost, and what a project may spend.

-- Events are found by rules, which cost nothing, or by the model that the lane names.
create function memento._calls_model(lane text) returns boolean
  language sql immutable strict parallel safe
  return pg_catalog.split_part(lane, ':', 1) in ('embed', 'entities', 'interpret') or pg_catalog.starts_with(lane, 'extract_events:');
comment on function memento._calls_model(text) is 'internal: whether jobs of a lane cost something';

create function memento._pause_covers(paused text, kind text) returns boolean
  language sql immutable strict parallel safe
  -- Indexes are of all projects, whoever has them in its queue.
  return paused = kind or (paused = '*' and kind <> 'build_index');
comment on function memento._pause_covers(text, text) is 'internal: whether a pause, of a kind or of all, holds jobs of a kind';

-- Jobs that may not be taken wait where no claim has to step over them, and where they do not hide what is due behind them.
create function memento._waits_until(project uuid, lane text, wanted timestamptz) returns timestamptz
  language sql stable parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select case when exists (select from memento.queue_pause q
                            where q.project_id = project and memento._pause_covers(q.kind, pg_catalog.split_part(lane, ':', 1)))
              then 'infinity'
              else greatest(wanted, (select b.spent_until from memento.budget b
                                      where b.project_id = project and b.spent_until > pg_catalog.now() and memento._calls_model(lane))) end;
end;
comment on function memento._waits_until(uuid, text, timestamptz) is
  'internal: from when on a job can be taken that is wanted at a time: a pause of its kind and a spent budget hold it back';

-- Who parked a job may have been about to commit when the pause ended, and nobody saw the job then. From project and lane to the next
-- in the index of what is parked: mostly that is empty, and else they are few.
create function memento._overlooked_lanes() returns table (project_id uuid, lane text)
  language sql stable parallel safe rows 10
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set jit = off
begin atomic
  with recursive parked (project_id, lane) as (
    (select j.project_id, j.lane from memento.job j where j.claimable_at = 'infinity' order by j.project_id, j.lane limit 1)
    union all
    select n.project_id, n.lane
      from parked p
     cross join lateral (select j.project_id, j.lane from memento.job j
                          where j.claimable_at = 'infinity' and (j.project_id, j.lane) > (p.project_id, p.lane)
                          order by j.project_id, j.lane limit 1) n
  )
  select p.project_id, p.lane from parked p
   where not exists (select from memento.queue_pause q
                      where q.project_id = p.project_id and memento._pause_covers(q.kind, pg_catalog.split_part(p.lane, ':', 1)));
end;
comment on function memento._overlooked_lanes() is 'internal: where jobs wait for the end of a pause that is over';

create function memento._free_overlooked() returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  overlooked record;
begin
  for overlooked in select o.project_id, o.lane from memento._overlooked_lanes() o loop
    update memento.job j
       set claimable_at = memento._waits_until(overlooked.project_id, overlooked.lane, statement_timestamp() - j.priority * interval '1 minute')
      from (select f.job_id from memento.job f
             where f.project_id = overlooked.project_id and f.lane = overlooked.lane and f.claimable_at = 'infinity'
               for no key update skip locked) f
     where j.project_id = overlooked.project_id and j.job_id = f.job_id;
  end loop;
end
$$;
comment on function memento._free_overlooked() is 'internal: lets jobs go on that wait for the end of a pause that is over';

create function memento._period_start(period text) returns timestamptz
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.date_trunc(period, pg_catalog.now(), 'UTC');
end;
comment on function memento._period_start(text) is 'internal: when the current day or month began, in UTC';

create function memento._period_end(period text) returns timestamptz
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  -- In UTC throughout: where the session is, a day may have another length.
  select ((memento._period_start(period) at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC';
end;
comment on function memento._period_end(text) is 'internal: when the current day or month ends, in UTC';

create function memento._free_jobs(project uuid, parked_until timestamptz) returns void
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  update memento.job j set claimable_at = pg_catalog.now() - j.priority * interval '1 minute'
   where j.project_id = project and j.state = 'pending' and j.claimable_at = parked_until and memento._calls_model(j.lane);
end;
comment on function memento._free_jobs(uuid, timestamptz) is 'internal: lets jobs go on that a budget held back until the end of a period';

-- The same as for pauses, but from time to time only: what waits for just the end of a period waits for a budget.
create function memento._free_unbudgeted() returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set jit = off
as $$
begin
  update memento.job j set claimable_at = now() - j.priority * interval '1 minute'
    from (select f.project_id, f.job_id from memento.job f
           where f.claimable_at in (memento._period_end('day'), memento._period_end('month')) and f.state = 'pending' and memento._calls_model(f.lane)
             and not exists (select from memento.budget b where b.project_id = f.project_id and b.spent_until > now())
             for no key update skip locked) f
   where j.project_id = f.project_id and j.job_id = f.job_id;
end
$$;
comment on function memento._free_unbudgeted() is 'internal: lets jobs go on that wait for the next period of a budget that is no longer spent';

-- The ledger is not summed up for each call: what workers spend is added to what was counted. What queries spend is not, because they must
-- not lock the budget, nor what a restore brings: so it is counted anew when that was a minute ago, as in a new period.
create function memento._settle_budget(project uuid, added bigint) returns boolean
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  allowed memento.budget;
  began timestamptz;
  ends timestamptz;
begin
  select b.* into allowed from memento.budget b where b.project_id = project for update;
  if not found then
    return false;
  end if;
  began := memento._period_start(allowed.period);
  if allowed.counted_at >= greatest(began, now() - interval '1 minute') then
    allowed.spent_tokens := allowed.spent_tokens + added;
  else
    allowed.counted_at := now();
    allowed.spent_tokens := (select coalesce(sum(u.tokens), 0) from memento.usage_ledger u where u.project_id = project and u.called_at >= began);
  end if;
  ends := case when allowed.spent_tokens >= allowed.max_tokens then memento._period_end(allowed.period) else '-infinity' end;
  update memento.budget b
     set spent_until = ends, spent_tokens = allowed.spent_tokens, counted_at = allowed.counted_at
   where b.project_id = project;
  if ends = '-infinity' then
    -- Where it was not spent before, nothing waits for it.
    if allowed.spent_until > '-infinity' then
      perform memento._free_jobs(project, allowed.spent_until);
    end if;
    return false;
  end if;
  update memento.job j set claimable_at = ends
   where j.project_id = project and j.state = 'pending' and memento._calls_model(j.lane)
     -- The period may have been another one.
     and (j.claimable_at < ends or j.claimable_at = allowed.spent_until);
  return true;
end
$$;
comment on function memento._settle_budget(uuid, bigint) is
  'internal: whether a project has spent its budget, with some tokens more; its jobs wait then for the next period';

create function memento._record_usage(project uuid, model_role text, model_provider text, model_name text, at_endpoint text, call_outcome text,
                                      item_count int, token_count bigint, sent bigint, received bigint, milliseconds float8, job bigint)
  returns void
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into memento.usage_ledger (project_id, role, provider, model, endpoint, outcome, items, tokens, bytes_sent, bytes_received, duration_ms, job_id)
  select project, model_role, model_provider, model_name, at_endpoint, call_outcome, item_count, token_count, sent, received, milliseconds, job
   where exists (select from memento.project p where p.project_id = project);
  if exists (select from memento.budget b where b.project_id = project and b.spent_until <= now()) then
    perform memento._settle_budget(project, token_count);
  end if;
end
$$;
comment on function memento._record_usage(uuid, text, text, text, text, text, int, bigint, bigint, bigint, float8, bigint) is
  'worker: enters a model call into the ledger';

create view memento.usage_by_day with (security_invoker = true) as
  select u.project_id, (u.called_at at time zone 'UTC')::date as day, u.role, u.provider, u.model,
         pg_catalog.count(*) as calls, pg_catalog.count(*) filter (where u.outcome <> 'ok') as failed_calls,
         pg_catalog.sum(u.items)::bigint as items, pg_catalog.sum(u.tokens)::bigint as tokens,
         pg_catalog.sum(u.bytes_sent)::bigint as bytes_sent, pg_catalog.sum(u.bytes_received)::bigint as bytes_received,
         pg_catalog.sum(u.duration_ms) as duration_ms
    from memento.usage_ledger u
   group by u.project_id, (u.called_at at time zone 'UTC')::date, u.role, u.provider, u.model;
comment on view memento.usage_by_day is 'What model calls cost, day by day in UTC, for the projects that the role may read.';
comment on column memento.usage_by_day.project_id is 'The project.';
comment on column memento.usage_by_day.day is 'The day, in UTC.';
comment on column memento.usage_by_day.role is 'What the model was asked to do.';
comment on column memento.usage_by_day.provider is 'The provider.';
comment on column memento.usage_by_day.model is 'The model.';
comment on column memento.usage_by_day.calls is 'How many calls.';
comment on column memento.usage_by_day.failed_calls is 'How many of them failed.';
comment on column memento.usage_by_day.items is 'How many texts.';
comment on column memento.usage_by_day.tokens is 'How many tokens.';
comment on column memento.usage_by_day.bytes_sent is 'Bytes of the requests.';
comment on column memento.usage_by_day.bytes_received is 'Bytes of the answers.';
comment on column memento.usage_by_day.duration_ms is 'How long they took together, in milliseconds.';

create function memento._paused_endpoints() returns table (endpoint text, code text, seconds float8)
  language sql stable parallel restricted security definer rows 10
  set search_path = pg_catalog, pg_temp
begin atomic
  select p.endpoint, p.code, extract(epoch from p.paused_until - pg_catalog.now())::float8
    from memento.endpoint_pause p where p.paused_until > pg_catalog.now();
end;
comment on function memento._paused_endpoints() is 'worker: the endpoints that are left alone now, why, and for how many seconds more';
