-- What a worker says to the database, the same for the background worker and for one on another machine. The functions run as
-- the owner, because a worker serves all projects; only a role that grant_worker() names may call them.
-- Hot ones are in PL/pgSQL, which keeps their plans: one for all values, because to plan a claim takes longer than to run it. Without JIT:
-- to servers before 18 a plan that needs what is switched off here is expensive beyond measure, so they would compile it each time.

create function memento._due_lanes(worker text, is_servers_own boolean)
  returns table (lane text, profile_id uuid, next_at timestamptz, code text, was_lost boolean)
  language plpgsql volatile parallel unsafe security definer rows 10
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- A pause ends for each worker a bit later than for another, so that they do not come back at once.
  over_after interval := (pg_catalog.hashtext(worker) & 1023) * interval '1 ms';
begin
  if exists (select from memento.job j where j.claimable_at = 'infinity') then
    perform memento._free_overlooked();
  end if;
  return query
  -- Steps from lane to lane in the index, however many jobs wait in each.
  with recursive step(lane) as (
    (select j.lane from memento.job j where j.claimable_at is not null order by j.lane limit 1)
    union all
    select (select j.lane from memento.job j where j.claimable_at is not null and j.lane > s.lane order by j.lane limit 1)
      from step s where s.lane is not null
  ), first as (
    -- The first one that nobody has; if that is not due yet, the first lease that ends may be sooner. Those that run are few.
    select s.lane, f.profile_id, w.was_lost,
           case when w.claimable_at <= pg_catalog.statement_timestamp() then w.claimable_at
                else least(w.claimable_at,
                           (select pg_catalog.min(j.lease_until) from memento.job j
                             where j.lane = s.lane and j.claimable_at <= pg_catalog.statement_timestamp())) end as next_at
      from step s
     cross join lateral (
       select j.profile_id from memento.job j
        where j.lane = s.lane and j.claimable_at is not null order by j.claimable_at, j.job_id limit 1) f
      left join lateral (
       select j.claimable_at, j.lost_leases > 0 or j.lease_until is not null as was_lost from memento.job j
        where j.lane = s.lane and j.claimable_at is not null
          and (j.lease_until is null or j.lease_until <= pg_catalog.statement_timestamp())
        order by j.claimable_at, j.job_id limit 1) w on true
     where s.lane is not null
  )
  select f.lane, coalesce(f.profile_id, c.profile_id), greatest(f.next_at, e.paused_until + over_after), case when e.paused_until > pg_catalog.now() then e.code end,
         coalesce(f.was_lost, false)
    from first f
    left join memento.embedding_profile p on p.profile_id = f.profile_id
    left join memento.chat_profile c on f.lane = 'extract_events:' || c.profile_id::text
    -- An index is built without the model.
    left join memento.endpoint_pause e on e.endpoint = coalesce(p.endpoint, c.endpoint) and f.lane <> 'build_index'
     -- The model of this server is nothing to a worker elsewhere, which has its own.
     and (is_servers_own or not pg_catalog.starts_with(e.code, 'MODEL_'))
   where f.next_at < 'infinity'
     -- Only who owns the table can index it.
     and (f.lane <> 'build_index'
          or pg_catalog.pg_has_role(session_user, (select c.relowner from pg_class c where c.oid = 'memento.chunk_embedding'::regclass), 'usage'));
end
$$;
comment on function memento._due_lanes(text, boolean) is
  'worker: the lanes that have open jobs, when the next of each can be taken, and whether a worker was lost with that one';

create function memento._claim_jobs(worker text, from_lane text, batch int, lease interval)
  returns table (project_id uuid, job_id bigint, attempt int, failures smallint, lost_leases smallint, kind text, version_id uuid, profile_id uuid, payload jsonb)
  language plpgsql volatile parallel unsafe security definer rows 100
  set search_path = pg_catalog, pg_temp
  -- A queue changes faster than its statistics: by its indexes, whatever they say.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- Mostly there are none, and then no job is looked up in them.
  has_pauses boolean := exists (select from memento.queue_pause);
  has_budgets boolean := memento._calls_model(from_lane) and exists (select from memento.budget);
  claimed bigint;
begin
  return query
  with due as materialized (
    select d.ctid as place, d.lost_leases + (d.state = 'running')::int as lost
      from memento.job d
     where d.lane = from_lane and d.claimable_at <= statement_timestamp()
       and (d.lease_until is null or d.lease_until <= statement_timestamp())
       and (not has_pauses
            or not exists (select from memento.queue_pause p where p.project_id = d.project_id and memento._pause_covers(p.kind, d.kind)))
       and (not has_budgets
            or not exists (select from memento.budget b where b.project_id = d.project_id and b.spent_until > statement_timestamp()))
     order by d.claimable_at, d.job_id
     limit batch
       for update skip locked
  ), taken as (
    -- A running job that can be claimed has lost its worker. One that loses every worker is the reason, most likely.
    update memento.job j
       set state = case when j.state = 'running' and j.lost_leases >= 9 then 'failed' else 'running' end,
           claimable_at = case when j.state = 'running' and j.lost_leases >= 9 then null else j.claimable_at end,
           lease_until = case when j.state = 'running' and j.lost_leases >= 9 then null else statement_timestamp() + lease end,
           claimed_by = case when j.state = 'running' and j.lost_leases >= 9 then null else worker end,
           finished_at = case when j.state = 'running' and j.lost_leases >= 9 then statement_timestamp() end,
           failed_at = case when j.state = 'running' and j.lost_leases >= 9 then statement_timestamp() end,
           started_at = statement_timestamp(),
           attempt = j.attempt + 1,
           lost_leases = j.lost_leases + (j.state = 'running')::int,
           errors = case when j.state = 'running'
                         then memento._with_error(j.errors, j.attempt, 'LEASE_LOST', 'the worker vanished', null)
                         else j.errors end
     -- By their places: they are locked, so they stay there. One that somebody has moved just before is left for the next claim.
     -- With those only that have lost as many workers, the fewer the more these are: whoever takes workers with it is soon alone.
     where j.ctid = any (array(
             select d.place from due d
              where d.lost = (select f.lost from due f limit 1)
              limit (select greatest(1, batch >> least(2 * f.lost, 30)) from due f limit 1)))
    returning j.project_id, j.job_id, j.attempt, j.failures, j.lost_leases, j.kind, j.version_id, j.profile_id, j.payload, j.state
  )
  select t.project_id, t.job_id, t.attempt, t.failures, t.lost_leases, t.kind, t.version_id, t.profile_id, t.payload
    from taken t where t.state = 'running';
  get diagnostics claimed = row_count;
  -- What came in while its kind was paused is in the way of what is due behind it.
  if claimed = 0 and (has_pauses or has_budgets) then
    update memento.job j set claimable_at = h.until
      from (select d.project_id, d.job_id, memento._waits_until(d.project_id, d.lane, d.claimable_at) as until
              from memento.job d
             where d.lane = from_lane and d.claimable_at <= statement_timestamp() and d.lease_until is null
               for no key update skip locked) h
     where j.project_id = h.project_id and j.job_id = h.job_id and h.until > statement_timestamp();
  end if;
end
$$;
comment on function memento._claim_jobs(text, text, int, interval) is 'worker: takes jobs of a lane until the lease ends';

create function memento._with_error(errors jsonb, attempt int, code text, message text, hint text) returns jsonb
  language sql stable parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.jsonb_path_query_array(errors, '$[last - 8 to last]')
         || pg_catalog.jsonb_build_array(pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
              'at', pg_catalog.statement_timestamp(), 'attempt', attempt, 'code', code, 'message', pg_catalog.left(message, 500), 'hint', pg_catalog.left(hint, 500))));
end;
comment on function memento._with_error(jsonb, int, text, text, text) is 'internal: a job''s errors with one more, at most ten';

-- As the loop does it for models: doubled up to ten minutes, and up to a fifth less, so that jobs that failed together do not come back
-- together.
create function memento._backoff(first interval, failures_before int) returns interval
  language sql volatile parallel restricted
  return least(first * pg_catalog.power(2, least(failures_before, 30)), interval '10 min') * (1 - 0.2 * pg_catalog.random());
comment on function memento._backoff(interval, int) is 'internal: how long a job waits that has failed once more';

create function memento._finish_jobs(projects uuid[], jobs bigint[], attempts int[], results jsonb[])
  returns setof bigint
  language plpgsql volatile parallel unsafe security definer rows 100
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  update memento.job j
     set state = case when j.run_again then 'pending' else 'done' end,
         claimable_at = case when j.run_again then memento._waits_until(j.project_id, j.lane, statement_timestamp()) end,
         finished_at = case when j.run_again then null else statement_timestamp() end,
         run_again = false, lease_until = null, claimed_by = null, result = f.result
    from unnest(projects, jobs, attempts, results) as f(project_id, job_id, attempt, result)
   where j.project_id = f.project_id and j.job_id = f.job_id and j.attempt = f.attempt and j.state = 'running'
  returning j.job_id;
end
$$;
comment on function memento._finish_jobs(uuid[], bigint[], int[], jsonb[]) is
  'worker: marks jobs as done and returns those that were still its own';

create function memento._fail_job(project uuid, job bigint, failed_attempt int, code text, message text, hint text,
                                  retry_in interval, counts boolean)
  returns text
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  became text;
begin
  update memento.job j
     set state = case when s.ends and not j.run_again then 'failed' else 'pending' end,
         -- Asked for once more meanwhile: that is another job, which has not failed yet.
         failures = case when s.ends and j.run_again then 0 else j.failures + counts::int end,
         run_again = false,
         claimable_at = case when not s.ends or j.run_again
                             then memento._waits_until(j.project_id, j.lane, statement_timestamp() + coalesce(retry_in, interval '0')) end,
         finished_at = case when s.ends and not j.run_again then statement_timestamp() end,
         failed_at = case when s.ends and not j.run_again then statement_timestamp() end,
         lease_until = null, claimed_by = null,
         errors = memento._with_error(j.errors, j.attempt, code, message, hint)
    from (select f.project_id, f.job_id, retry_in is null or (counts and f.failures + 1 >= f.max_failures) as ends
            from memento.job f
           where f.project_id = project and f.job_id = job and f.attempt = failed_attempt and f.state = 'running'
             for update) s
   where j.project_id = s.project_id and j.job_id = s.job_id
  returning j.state into became;
  return became;
end
$$;
comment on function memento._fail_job(uuid, bigint, int, text, text, text, interval, boolean) is
  'worker: records why an attempt failed; the job is tried again after a while, or has failed for good without one or when it failed too often. Returns its state, null if it was no longer the worker''s';

create function memento._extend_leases(projects uuid[], jobs bigint[], attempts int[], lease interval)
  returns setof bigint
  language plpgsql volatile parallel unsafe security definer rows 100
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  update memento.job j
     set lease_until = statement_timestamp() + lease
    from (select m.project_id, m.job_id
            from unnest(projects, jobs, attempts) as h(project_id, job_id, attempt)
            join memento.job m on m.project_id = h.project_id and m.job_id = h.job_id and m.attempt = h.attempt and m.state = 'running'
             -- Who has one locked cancels it, most likely; the others must not wait for that.
             for no key update of m skip locked) h
   where j.project_id = h.project_id and j.job_id = h.job_id
  returning j.job_id;
end
$$;
comment on function memento._extend_leases(uuid[], bigint[], int[], interval) is
  'worker: keeps jobs for longer and returns those that are still its own';

create function memento._release_jobs(projects uuid[], jobs bigint[], attempts int[], delay interval) returns bigint
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
declare
  released bigint;
begin
  update memento.job j
     set state = 'pending', claimable_at = memento._waits_until(j.project_id, j.lane, statement_timestamp() + delay),
         lease_until = null, claimed_by = null
    from (select m.project_id, m.job_id
            from unnest(projects, jobs, attempts) as h(project_id, job_id, attempt)
            join memento.job m on m.project_id = h.project_id and m.job_id = h.job_id and m.attempt = h.attempt and m.state = 'running'
             for no key update of m skip locked) h
   where j.project_id = h.project_id and j.job_id = h.job_id;
  get diagnostics released = row_count;
  -- Somebody else may have time for them.
  if released > 0 then
    perform memento._announce();
  end if;
  return released;
end
$$;
comment on function memento._release_jobs(uuid[], bigint[], int[], interval) is
  'worker: gives jobs back untouched, when it has to stop or they have to wait for somebody, to be taken after a while';

create function memento._recover_jobs(worker text) returns bigint
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  recovered bigint;
begin
  update memento.job j set lease_until = statement_timestamp()
   where j.claimable_at is not null and j.lease_until > statement_timestamp() and j.claimed_by = worker;
  get diagnostics recovered = row_count;
  return recovered;
end
$$;
comment on function memento._recover_jobs(text) is 'worker: ends the leases of a worker of the same name that is known to be gone';

create function memento._pause_endpoint(name text, pause interval, pause_code text, pause_reason text) returns void
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  insert into memento.endpoint_pause as e (endpoint, paused_until, code, reason)
  values (name, pg_catalog.now() + pause, pause_code, pause_reason)
  on conflict (endpoint) do update
     set paused_until = greatest(e.paused_until, excluded.paused_until), code = excluded.code, reason = excluded.reason;
end;
comment on function memento._pause_endpoint(text, interval, text, text) is 'worker: keeps all workers from calling an endpoint for a while';

create function memento._unpause_models() returns void
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  delete from memento.endpoint_pause e where pg_catalog.starts_with(e.code, 'MODEL_') or e.paused_until < pg_catalog.now() - interval '1 hour';
end;
comment on function memento._unpause_models() is 'worker: lets models be asked again that were not there; they may be now';

create function memento._heartbeat(worker text, worker_version text, worker_kinds text[], is_listening boolean, jobs_in_flight int,
                                   done bigint, failed bigint, error text, unusable_models jsonb) returns void
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  delete from memento.worker w where w.heartbeat_at < pg_catalog.now() - interval '1 day';
  insert into memento.worker as w (worker_id, version, kinds, listens, in_flight, jobs_done, jobs_failed, last_error, unusable)
  values (worker, worker_version, worker_kinds, is_listening, jobs_in_flight, done, failed, error, unusable_models)
  on conflict (worker_id) do update
     set heartbeat_at = pg_catalog.now(), version = excluded.version, kinds = excluded.kinds, listens = excluded.listens,
         in_flight = excluded.in_flight, jobs_done = excluded.jobs_done, jobs_failed = excluded.jobs_failed,
         last_error = excluded.last_error, unusable = excluded.unusable,
         started_at = case when excluded.jobs_done < w.jobs_done then pg_catalog.now() else w.started_at end;
end;
comment on function memento._heartbeat(text, text, text[], boolean, int, bigint, bigint, text, jsonb) is 'worker: says that it is there';

create function memento._sweep_jobs(keep_done interval, keep_failed interval, batch int) returns bigint
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  swept bigint;
begin
  delete from memento.job j
   using (select f.project_id, f.job_id from memento.job f
           -- What became of looking for events is known as long as the text is there: _store_events() deletes what a later run replaces.
           where f.finished_at < now() - keep_done and f.kind <> 'extract_events'
             and (f.state <> 'failed' or f.finished_at < now() - keep_failed)
           order by f.finished_at limit batch for update skip locked) old
   where j.project_id = old.project_id and j.job_id = old.job_id;
  get diagnostics swept = row_count;
  return swept;
end
$$;
comment on function memento._sweep_jobs(interval, interval, int) is 'worker: deletes jobs that finished long ago, and returns how many';

create function memento._queue_depths() returns table (kind text, state text, jobs bigint, oldest float8)
  language sql stable parallel restricted security definer rows 20
  set search_path = pg_catalog, pg_temp
begin atomic
  select j.kind, j.state, pg_catalog.count(*), extract(epoch from pg_catalog.now() - pg_catalog.min(j.created_at))::float8
    from memento.job j where j.claimable_at is not null group by j.kind, j.state
  union all
  select j.kind, j.state, pg_catalog.count(*), extract(epoch from pg_catalog.now() - pg_catalog.min(j.created_at))::float8
    from memento.job j where j.failed_at is not null group by j.kind, j.state;
end;
comment on function memento._queue_depths() is 'worker: how many jobs are open or have failed, and how old the oldest is in seconds';
