-- Jobs that need nothing but the database, indexes of vectors, and what is due from time to time.

create function memento._run_job(project uuid, job bigint, of_attempt int) returns text
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_job memento.job;
  done bigint;
  more boolean := false;
  failed_relation text;
  counts boolean;
begin
  select j.* into found_job from memento.job j
   where j.project_id = project and j.job_id = job and j.attempt = of_attempt and j.state = 'running'
     for update;
  if not found then
    return null;
  end if;
  begin
    case found_job.kind
      when 'ingest' then
        done := memento._ingest_version(project, found_job.version_id);
      when 'backfill_tokens' then
        done := memento._backfill_tokens(project, 2000);
        more := done = 2000;
    end case;
  exception when others then
    -- Not the message: that may quote what was to be written.
    get stacked diagnostics failed_relation = table_name;
    -- As in the loop: no room, a lock that somebody has and a deadlock are not the job's fault. Then attempts make the delay longer.
    counts := not (left(sqlstate, 2) in ('40', '53') or sqlstate = '55P03');
    return memento._fail_job(project, job, of_attempt, 'DATABASE',
             format('the database refused it (SQLSTATE %s%s)', sqlstate, coalesce(', table ' || nullif(failed_relation, ''), '')),
             'see the server''s log',
             memento._backoff(interval '5 s', case when counts then found_job.failures else of_attempt - 1 end), counts);
  end;
  if more then
    update memento.job j
       set state = 'pending', claimable_at = memento._waits_until(project, j.lane, statement_timestamp()), lease_until = null, claimed_by = null,
           progress = jsonb_build_object('rows', coalesce((j.progress ->> 'rows')::bigint, 0) + done)
     where j.project_id = project and j.job_id = job;
    return 'pending';
  end if;
  perform memento._finish_jobs(array[project], array[job], array[of_attempt],
            array[jsonb_build_object('rows', coalesce((found_job.progress ->> 'rows')::bigint, 0) + done)]);
  return 'done';
end
$$;
comment on function memento._run_job(uuid, bigint, int) is
  'worker: does a job that needs nothing but the database; returns its state then, null if it was no longer the worker''s';

create function memento._index_name(profile uuid) returns name
  language sql immutable strict parallel safe
  return ('chunk_embedding_hnsw_' || pg_catalog.replace(profile::text, '-', ''))::name;
comment on function memento._index_name(uuid) is 'internal: the name of a profile''s index';

create function memento._index_definition(profile uuid) returns text
  language plpgsql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
as $$
declare
  p memento.embedding_profile;
  vector_schema name := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector');
begin
  select e.* into p from memento.embedding_profile e where e.profile_id = profile;
  if not found then
    return null;
  end if;
  -- Over 2,000 dimensions only halfvec can be indexed.
  return format('using hnsw ((embedding::%1$I.%2$s(%3$s)) %1$I.%2$s_%4$s_ops) with (m=%5$s, ef_construction=%6$s) where profile_id = %7$L::uuid',
                vector_schema, case when p.dims > 2000 then 'halfvec' else 'vector' end, p.dims, p.distance,
                coalesce(p.config #>> '{hnsw,m}', '16')::int, coalesce(p.config #>> '{hnsw,ef_construction}', '64')::int, profile);
end
$$;
comment on function memento._index_definition(uuid) is 'internal: how a profile''s index is to be';

-- What was asked for is kept as the index''s comment: the server''s own words for it differ from version to version.
create function memento._index_state(profile uuid) returns text
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select coalesce(
    (select case when not i.indisvalid then 'invalid'
                 when pg_catalog.obj_description(c.oid, 'pg_class') is distinct from memento._index_definition(profile) then 'outdated'
                 else 'ready' end
       from pg_class c join pg_index i on i.indexrelid = c.oid
      where c.relnamespace = 'memento'::regnamespace and c.relname = memento._index_name(profile)),
    'missing');
end;
comment on function memento._index_state(uuid) is 'internal: whether a profile''s index is ready, invalid, outdated or missing';

create function memento._index_commands(profile uuid, may_run_concurrently boolean) returns setof text
  language plpgsql stable parallel safe security definer rows 3
  set search_path = pg_catalog, pg_temp
as $$
declare
  state text := memento._index_state(profile);
  definition text := memento._index_definition(profile);
  -- Building it concurrently means to wait for every older transaction; where the table has few vectors, writers wait for a moment
  -- instead. Those of all profiles are read, and all writers wait.
  is_large boolean := (select count(*) > 10000 from (select from memento.chunk_embedding limit 10001) v);
  how text := case when may_run_concurrently and is_large then 'concurrently ' else '' end;
begin
  if definition is null or state = 'ready' then
    return;
  end if;
  if state <> 'missing' then
    return next format('drop index %sif exists memento.%I', how, memento._index_name(profile));
  end if;
  return next format('create index %sif not exists %I on memento.chunk_embedding %s', how, memento._index_name(profile), definition);
  return next format('comment on index memento.%I is %L', memento._index_name(profile), definition);
end
$$;
comment on function memento._index_commands(uuid, boolean) is 'worker: the commands that make a profile''s index as it is to be';

-- Jobs that nobody asked for have keys below zero and are not dumped: a worker may make them while a dump is being restored.
create sequence memento.own_job_id_seq as bigint increment -1 maxvalue -1 start -1;
comment on sequence memento.own_job_id_seq is 'Keys of jobs that the worker asks for itself.';
create function memento._own_job_id() returns bigint
  language sql volatile parallel unsafe
  return pg_catalog.nextval('memento.own_job_id_seq');
comment on function memento._own_job_id() is 'internal: a key for a job that nobody asked for';

create function memento._enqueue_index(profile uuid) returns void
  language sql volatile strict parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  -- A profile is shared: the job belongs to the default project, which is always there.
  insert into memento.job as j (project_id, job_id, kind, lane, profile_id, dedup_key)
  values ('00000000-0000-0000-0000-000000000001', memento._own_job_id(), 'build_index', 'build_index', profile, profile::text)
  -- One that is being built may be of parameters that are over.
  on conflict (project_id, kind, dedup_key) where claimable_at is not null and dedup_key is not null
     do update set run_again = true where j.state = 'running';
end;
comment on function memento._enqueue_index(uuid) is 'internal: asks for a profile''s index';

-- Vectors that come one after the other into an index cost more than those that are there when it is built, and are stored while models
-- wait. So a profile that is being filled gets its index at the end of that.
create function memento._want_index(profile uuid) returns void
  language plpgsql volatile strict parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select from memento.job j where j.lane = 'embed:' || profile::text and j.claimable_at is not null and j.claimable_at < 'infinity')
     -- Whoever builds it already sees these vectors too.
     and not exists (select from memento.job b
                      where b.project_id = '00000000-0000-0000-0000-000000000001' and b.kind = 'build_index' and b.dedup_key = profile::text
                        and b.claimable_at is not null)
     and memento._index_state(profile) <> 'ready' then
    perform memento._enqueue_index(profile);
  end if;
end
$$;
comment on function memento._want_index(uuid) is 'internal: asks for a profile''s index, unless vectors are still being made, or it is ready or asked for';

create function memento._maintain(batch int) returns bigint
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  taken bigint;
  project uuid;
begin
  taken := memento._sweep_jobs(current_setting('memento.keep_done_jobs')::interval, current_setting('memento.keep_failed_jobs')::interval, batch);
  taken := taken + memento._sweep_packs(current_setting('memento.keep_packs')::interval, batch);
  -- The rest of the batch: what comes back full is called again at once.
  if taken < batch then
    taken := taken + memento._apply_retention((batch - taken)::int);
  end if;
  perform memento._enqueue_overlooked();
  perform memento._free_unbudgeted();
  -- Indexes are not in dumps, and one that was being built may have been interrupted.
  -- Where searches use it, it does not wait for the last vector.
  perform memento._enqueue_index(p.profile_id)
     from memento.embedding_profile p
    where memento._index_state(p.profile_id) <> 'ready'
      and exists (select from memento.project u where u.active_profile_id = p.profile_id);
  perform memento._want_index(p.profile_id)
     from memento.embedding_profile p
    where exists (select from memento.project u where u.candidate_profile_id = p.profile_id);
  -- Newer rules for technical tokens, in the library or before a restore.
  with renewed as (
    update memento.project p set rules_version = memento._rules_version() where p.rules_version <> memento._rules_version()
    returning p.project_id
  )
  insert into memento.job (project_id, job_id, kind, lane, dedup_key)
  select r.project_id, memento._own_job_id(), 'backfill_tokens', 'backfill_tokens', 'rules' from renewed r
      on conflict do nothing;
  -- Words that have changed, and those that came with a restore.
  for project in
    select p.project_id from memento.project p
     where exists (select from memento.lexical_pending c where c.project_id = p.project_id)
        or not exists (select from memento.lexical_stat s where s.project_id = p.project_id)
           and exists (select from memento.chunk c where c.project_id = p.project_id)
     order by p.project_id
  loop
    exit when taken >= batch;
    taken := taken + memento._count_words(project, batch - taken);
  end loop;
  return taken;
end
$$;
comment on function memento._maintain(int) is 'worker: does what is due from time to time and returns how many rows it took, at most batch';
