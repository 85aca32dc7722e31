-- Jobs of kind embed: what a worker reads for them and writes back.

-- Unlogged: a crash ends the transactions that it is about.
create unlogged table memento.profile_change (
  project_id uuid primary key references memento.project on delete cascade,
  over_at xid8
);
comment on table memento.profile_change is 'Projects whose profiles have changed: who was writing meanwhile may not have seen that, so what is missing is asked for once more when all of them are done.';
comment on column memento.profile_change.project_id is 'The project.';
comment on column memento.profile_change.over_at is 'Transactions from this one on have seen the change. Null until the maintenance has looked.';

create function memento._enqueue_missing(project uuid, profile uuid, is_new boolean) returns bigint
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  -- A job for each latest version that has a chunk without a vector. Where the profile was not used until now, one that is running may
  -- have been about to end without storing anything: it looks again.
  with asked as (
    insert into memento.job as j (project_id, kind, lane, version_id, profile_id, dedup_key, claimable_at)
    select v.project_id, 'embed', 'embed:' || profile::text, v.version_id, profile, v.version_id::text || ':' || profile::text, w.claimable_at
      from memento.version v
     cross join (select memento._waits_until(project, 'embed:' || profile::text, pg_catalog.clock_timestamp()) as claimable_at) w
     where v.project_id = project and v.is_latest
       and exists (select from memento.chunk c
                    where c.project_id = v.project_id and c.version_id = v.version_id
                      and not exists (select from memento.chunk_embedding e
                                       where e.project_id = c.project_id and e.chunk_id = c.chunk_id and e.profile_id = profile))
       and (is_new
            or not exists (select from memento.job o
                            where o.project_id = v.project_id and o.kind = 'embed' and o.claimable_at is not null
                              and o.dedup_key = v.version_id::text || ':' || profile::text))
    on conflict (project_id, kind, dedup_key) where claimable_at is not null and dedup_key is not null
    do update set run_again = j.state = 'running'
    returning 1
  )
  select pg_catalog.count(*) from asked;
end;
comment on function memento._enqueue_missing(uuid, uuid, boolean) is 'internal: asks for the vectors that a profile lacks in a project, and says for how many versions';

create function memento._enqueue_overlooked() returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  project uuid;
begin
  for project in
    delete from memento.profile_change c where c.over_at <= pg_snapshot_xmin(pg_current_snapshot()) returning c.project_id
  loop
    perform memento._enqueue_missing(p.project_id, u.profile_id, false)
       from memento.project p
      cross join lateral (values (p.active_profile_id), (p.candidate_profile_id)) as u(profile_id)
      where p.project_id = project and u.profile_id is not null;
  end loop;
  -- All that were writing before now may have missed it.
  update memento.profile_change c set over_at = pg_snapshot_xmax(pg_current_snapshot()) where c.over_at is null;
end
$$;
comment on function memento._enqueue_overlooked() is 'internal: asks for the vectors that writers did not ask for because their project was just changing its profiles';

create function memento._embed_inputs(profile uuid, projects uuid[], jobs bigint[], attempts int[], max_chunks int)
  returns table (project_id uuid, job_id bigint, chunk_id bigint, chunk_text text, token_count int, contextual boolean)
  language plpgsql stable parallel restricted security definer rows 100
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  -- Step by step along the keys, whatever the planner believes of tables that nobody has analysed yet: taken in another order, the
  -- joins are as many rows as the project has, to the power of three.
  select h.project_id, h.job_id, c.chunk_id, c.chunk_text, c.token_count,
         i.canonical_key is not null and i.doc_class in ('app_spec', 'feature_spec', 'implementation_plan')
    from unnest(projects, jobs, attempts) as h(project_id, job_id, attempt)
   cross join lateral (select j.version_id from memento.job j
                        where j.project_id = h.project_id and j.job_id = h.job_id and j.attempt = h.attempt and j.state = 'running'
                       offset 0) j
   cross join lateral (select from memento.project p
                        where p.project_id = h.project_id and profile in (p.active_profile_id, p.candidate_profile_id)
                       offset 0) p
   cross join lateral (select v.item_id, v.is_latest from memento.version v
                        where v.project_id = h.project_id and v.version_id = j.version_id
                       offset 0) v
   cross join lateral (select i.canonical_key, i.doc_class from memento.item i
                        where i.project_id = h.project_id and i.item_id = v.item_id
                       offset 0) i
   cross join lateral (select c.chunk_id, c.ordinal, c.chunk_text, c.token_count from memento.chunk c
                        where c.project_id = h.project_id and c.version_id = j.version_id
                       offset 0) c
    left join lateral (select true as is_there from memento.chunk_embedding e
                        where e.project_id = h.project_id and e.chunk_id = c.chunk_id and e.profile_id = profile
                       offset 0) e on true
   -- Latest ones by their own key, not by the index of all that are latest.
   where v.is_latest and e.is_there is null
   order by h.job_id, c.ordinal
   limit max_chunks;
end
$$;
comment on function memento._embed_inputs(uuid, uuid[], bigint[], int[], int) is
  'worker: the chunks of jobs that have no vector yet, in the order of the text';

-- Guarded by what was read: only for jobs that are still the worker''s, versions that are still the latest and profiles that are still used.
create function memento._store_embeddings(profile uuid, projects uuid[], jobs bigint[], attempts int[], chunks bigint[], numbers real[])
  returns bigint
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
declare
  dims int := (select p.dims from memento.embedding_profile p where p.profile_id = profile);
  versions uuid[];
  stored bigint;
begin
  if cardinality(numbers) <> dims * cardinality(chunks) then
    raise exception '% numbers for % chunks are not % dimensions each', cardinality(numbers), cardinality(chunks), dims
      using errcode = 'data_exception', detail = 'code=WRONG_DIMENSIONS', hint = 'this is a bug in the worker: please report it';
  end if;
  -- First the versions, as forget() does, and without those that it is about to take away: nobody waits for each other in a circle.
  select array_agg(l.version_id) into versions
    from (select distinct j.project_id, j.version_id from unnest(projects, jobs) as h(project_id, job_id)
            join memento.job j on j.project_id = h.project_id and j.job_id = h.job_id) j
   cross join lateral (select v.version_id from memento.version v
                        where v.project_id = j.project_id and v.version_id = j.version_id
                          for key share skip locked) l;
  -- Whoever takes the job over, or switches the profile, waits until this is committed or sees that it is.
  perform from unnest(projects, jobs, attempts) as h(project_id, job_id, attempt)
     join memento.job j on j.project_id = h.project_id and j.job_id = h.job_id and j.attempt = h.attempt and j.state = 'running'
    where j.version_id = any (versions)
      for no key update of j;
  select memento._insert_embeddings(profile, dims, versions, projects, jobs, attempts, chunks, numbers) into stored;
  return stored;
end
$$;
comment on function memento._store_embeddings(uuid, uuid[], bigint[], int[], bigint[], real[]) is
  'worker: stores the vectors of chunks, one job and one run of numbers for each, and returns how many it stored';

-- Apart from the one above because its body is bound to the type vector when it is made, wherever pgvector is installed.
create function memento._insert_embeddings(profile uuid, dims int, versions uuid[], projects uuid[], jobs bigint[], attempts int[], chunks bigint[], numbers real[])
  returns bigint
  language sql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
begin atomic
  with stored as (
    insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
    select h.project_id, h.chunk_id, profile, (numbers[(h.place - 1) * dims + 1 : h.place * dims])::vector
      from unnest(projects, jobs, attempts, chunks) with ordinality as h(project_id, job_id, attempt, chunk_id, place)
     -- Along the keys, as above.
     cross join lateral (select j.version_id from memento.job j
                          where j.project_id = h.project_id and j.job_id = h.job_id and j.attempt = h.attempt and j.state = 'running'
                            and j.version_id = any (versions)
                         offset 0) j
     cross join lateral (select from memento.project p
                          where p.project_id = h.project_id and profile in (p.active_profile_id, p.candidate_profile_id)
                         offset 0) p
     cross join lateral (select v.is_latest from memento.version v
                          where v.project_id = h.project_id and v.version_id = j.version_id
                         offset 0) v
     cross join lateral (select c.version_id from memento.chunk c
                          where c.project_id = h.project_id and c.chunk_id = h.chunk_id
                         offset 0) c
     where v.is_latest and c.version_id = j.version_id
    on conflict do nothing
    returning chunk_id
  )
  select pg_catalog.count(*) from stored;
end;
comment on function memento._insert_embeddings(uuid, int, uuid[], uuid[], bigint[], int[], bigint[], real[]) is 'internal: the insert of _store_embeddings()';

create function memento._finish_embed_jobs(profile uuid, projects uuid[], jobs bigint[], attempts int[]) returns setof bigint
  language plpgsql volatile parallel unsafe security definer rows 100
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  with outcome as materialized (
    select h.project_id, h.job_id, h.attempt, v.is_latest,
           -- Either of them may be null.
           coalesce(profile = p.active_profile_id, false) or coalesce(profile = p.candidate_profile_id, false) as is_used,
           n.chunks, n.embedded
      from unnest(projects, jobs, attempts) as h(project_id, job_id, attempt)
     -- Along the keys, as above. One that is being forgotten is skipped: its end is not waited for, in whatever order others lock.
     cross join lateral (select j.version_id from memento.job j
                          where j.project_id = h.project_id and j.job_id = h.job_id and j.attempt = h.attempt and j.state = 'running'
                            for no key update skip locked) j
     cross join lateral (select q.active_profile_id, q.candidate_profile_id from memento.project q
                          where q.project_id = h.project_id
                         offset 0) p
     cross join lateral (select w.is_latest from memento.version w
                          where w.project_id = h.project_id and w.version_id = j.version_id
                         offset 0) v
     cross join lateral (
       select count(*) as chunks, count(e.chunk_id) as embedded
         from (select c.chunk_id from memento.chunk c where c.project_id = h.project_id and c.version_id = j.version_id offset 0) c
         left join lateral (select k.chunk_id from memento.chunk_embedding k
                             where k.project_id = h.project_id and k.chunk_id = c.chunk_id and k.profile_id = profile
                            offset 0) e on true) n
  )
  select memento._finish_jobs(array_agg(o.project_id), array_agg(o.job_id), array_agg(o.attempt),
           array_agg(case when not o.is_latest then jsonb_build_object('dropped', 'superseded')
                          when not o.is_used then jsonb_build_object('dropped', 'profile not in use')
                          else jsonb_build_object('chunks', o.chunks) end))
    from outcome o
   where o.embedded = o.chunks or not o.is_latest or not o.is_used
  having count(*) > 0;
  perform memento._want_index(profile);
end
$$;
comment on function memento._finish_embed_jobs(uuid, uuid[], bigint[], int[]) is
  'worker: finishes the jobs whose chunks all have a vector, or whose result nobody wants any more, and returns them';
