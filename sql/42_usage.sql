-- What model calls cost, and what a project may spend.

-- Events are found by rules, which cost nothing, or by the model that the lane names.
create function memento._calls_model(lane text) returns boolean
  language sql immutable strict parallel safe
  return pg_catalog.split_part(lane, ':', 1) in ('embed', 'entities', 'interpret') or pg_catalog.starts_with(lane, 'extract_events:');
comment on function memento._calls_model(text) is 'internal: whether jobs of a lane cost something';

-- Jobs that may not be taken wait where no claim has to step over them, and where they do not hide what is due behind them.
create function memento._waits_until(project uuid, lane text, wanted timestamptz) returns timestamptz
  language sql stable parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select case when exists (select from memento.queue_pause q
                            where q.project_id = project and q.kind in (pg_catalog.split_part(lane, ':', 1), '*'))
              then 'infinity'
              else greatest(wanted, (select b.spent_until from memento.budget b
                                      where b.project_id = project and b.spent_until > pg_catalog.now() and memento._calls_model(lane))) end;
end;
comment on function memento._waits_until(uuid, text, timestamptz) is
  'internal: from when on a job can be taken that is wanted at a time: a pause of its kind and a spent budget hold it back';

create function memento._period_start(period text) returns timestamptz
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.date_trunc(period, pg_catalog.now(), 'UTC');
end;
comment on function memento._period_start(text) is 'internal: when the current day or month began, in UTC';

create function memento._free_jobs(project uuid, parked_until timestamptz) returns void
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  update memento.job j set claimable_at = pg_catalog.now() - j.priority * interval '1 minute'
   where j.project_id = project and j.state = 'pending' and j.claimable_at = parked_until and memento._calls_model(j.lane);
end;
comment on function memento._free_jobs(uuid, timestamptz) is 'internal: lets jobs go on that a budget held back until the end of a period';

create function memento._settle_budget(project uuid) returns boolean
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
  ends := began + ('1 ' || allowed.period)::interval;
  if (select coalesce(sum(u.tokens), 0) from memento.usage_ledger u where u.project_id = project and u.called_at >= began)
     < allowed.max_tokens then
    update memento.budget b set spent_until = '-infinity' where b.project_id = project;
    perform memento._free_jobs(project, allowed.spent_until);
    return false;
  end if;
  update memento.budget b set spent_until = ends where b.project_id = project;
  update memento.job j set claimable_at = ends
   where j.project_id = project and j.state = 'pending' and memento._calls_model(j.lane)
     -- The period may have been another one.
     and (j.claimable_at < ends or j.claimable_at = allowed.spent_until);
  return true;
end
$$;
comment on function memento._settle_budget(uuid) is 'internal: whether a project has spent its budget; its jobs wait then for the next period';

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
    perform memento._settle_budget(project);
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
