-- Jobs of kind extract_events: what a worker reads for them and writes back.

create table memento.extraction_prompt (
  project_id uuid not null references memento.project on delete cascade,
  name text not null,
  version int not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  created_by name not null,
  template text,
  primary key (project_id, name, version),
  constraint extraction_prompt_name_known check (name in ('extract', 'canonicalise', 'repair')),
  constraint extraction_prompt_version_positive check (version > 0),
  constraint extraction_prompt_template_form check (template ~ '\S' and pg_catalog.char_length(template) <= 20000)
);
comment on table memento.extraction_prompt is 'What a project tells the model that looks for events, instead of what every project begins with. Never changed: the newest version counts. Written by set_extraction_prompt().';
comment on column memento.extraction_prompt.project_id is 'The project.';
comment on column memento.extraction_prompt.name is 'extract, for a passage; canonicalise, for what was found in all passages of a document; repair, for an answer that was not right.';
comment on column memento.extraction_prompt.version is '1 for the first of the project, 2 for the next ... 0 in results is what every project begins with.';
comment on column memento.extraction_prompt.created_at is 'When it was set.';
comment on column memento.extraction_prompt.created_by is 'By which role.';
comment on column memento.extraction_prompt.template is 'The text; null goes back to what every project begins with.';

create function memento._lane(project uuid, kind text) returns text
  language sql stable parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select kind || coalesce((select ':' || p.event_profile_id::text from memento.project p
                            where p.project_id = project and kind = 'extract_events'), '');
end;
comment on function memento._lane(uuid, text) is 'internal: the lane of a new job of a project that has no embedding profile';

create function memento._extraction_input(project uuid, job bigint, of_attempt int)
  returns table (content text, about jsonb)
  language plpgsql volatile parallel unsafe security definer rows 1
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  -- Asked for, or failed, while set_event_extractor() was called: pauses and budgets are those of its own lane.
  update memento.job j
     set lane = memento._lane(project, j.kind), state = 'pending', claimable_at = statement_timestamp(), lease_until = null, claimed_by = null
   where j.project_id = project and j.job_id = job and j.attempt = of_attempt and j.state = 'running'
     and j.lane <> memento._lane(project, j.kind);
  if found then
    perform memento._wake_worker();
    return;
  end if;
  return query
  select v.content, pg_catalog.jsonb_build_object(
           'title', i.title, 'kind', coalesce(r.artifact_type, i.kind), 'author', i.author, 'participants', i.participants,
           'date', memento._utc(r.source_ts),
           'profile', case when c.profile_id is not null then pg_catalog.jsonb_build_object(
             'profile_id', c.profile_id, 'provider', c.provider, 'model', c.model, 'config', c.config, 'endpoint', c.endpoint) end,
           'prompts', coalesce((
             select pg_catalog.jsonb_object_agg(n.name, pg_catalog.jsonb_build_object('version', n.version, 'template', n.template))
               from (select distinct on (e.name) e.name, e.version, e.template from memento.extraction_prompt e
                      where e.project_id = project order by e.name, e.version desc) n
              where n.template is not null), '{}'))
    from memento.job j
    join memento.project p on p.project_id = j.project_id
    join memento.version v on v.project_id = j.project_id and v.version_id = j.version_id
    join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
    left join memento.artifact_revision r on r.project_id = v.project_id and r.version_id = v.version_id
    left join memento.chat_profile c on c.profile_id = p.event_profile_id
   where j.project_id = project and j.job_id = job and j.attempt = of_attempt and j.state = 'running';
end
$$;
comment on function memento._extraction_input(uuid, bigint, int) is
  'worker: the text that events are looked for in, what is known about it, and how they are looked for; nothing if the job is no longer the worker''s, or belongs into another lane';

-- Old events stay until the new ones are there; both change in the one transaction that finishes the job. What the database refuses is a
-- failure of the job, and not of who works the queue.
create function memento._store_events(project uuid, job bigint, of_attempt int, found_by text, events jsonb, entities jsonb, outcome jsonb)
  returns text
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  source record;
  run uuid := gen_random_uuid();
  stored bigint;
  held record;
  failed_relation text;
begin
  -- First the version, as forget() does, and not if it is about to take it away: nobody waits for each other in a circle.
  select v.version_id, v.content, i.artifact_uid, memento._revision_id(v.content_hash) as revision_id into source
    from memento.job j
    join memento.version v on v.project_id = j.project_id and v.version_id = j.version_id
    join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
   where j.project_id = project and j.job_id = job
     for key share of v skip locked;
  if not found then
    -- Whoever erases it may change his mind.
    return case when exists (select from memento.job j
                              where j.project_id = project and j.job_id = job and j.attempt = of_attempt and j.state = 'running')
                then 'busy' else 'lost' end;
  end if;
  select j.failures, j.claimed_by into held from memento.job j
    where j.project_id = project and j.job_id = job and j.attempt = of_attempt and j.state = 'running'
      for no key update;
  if not found then
    return 'lost';
  end if;
  stored := memento._replace_events(project, source.version_id, source.artifact_uid, source.revision_id, run, found_by, events);
  perform memento._store_mentions(project, source.version_id, source.content, entities);
  perform memento._finish_jobs(array[project], array[job], array[of_attempt],
            array[jsonb_build_object('extraction_run_id', run, 'extractor', found_by, 'events', stored, 'worker', held.claimed_by) || outcome]);
  perform memento._sweep_runs(project, source.version_id, job);
  return 'done';
exception when others then
  -- Not the message: that may quote what was to be written.
  get stacked diagnostics failed_relation = table_name;
  perform memento._fail_job(project, job, of_attempt, 'WRITE_FAILED',
            format('the database refused it (SQLSTATE %s%s)', sqlstate, coalesce(', table ' || nullif(failed_relation, ''), '')),
            'see the server''s log', memento._backoff(interval '30 s', held.failures), true);
  return 'refused';
end
$$;
comment on function memento._store_events(uuid, bigint, int, text, jsonb, jsonb, jsonb) is
  'worker: replaces the events of a version by those that were found and finishes the job (done); or says that the database refused them, which the job says too (refused), that somebody has the version locked (busy), or that the job is no longer the worker''s (lost)';

-- The last job that has looked for events in a version is kept with it: job_status() tells of it, and event_reextract() does not pay for it
-- again unless it must. Others are kept as all jobs are, or until the next run.
create function memento._sweep_runs(project uuid, version uuid, last_job bigint) returns void
  language sql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
begin atomic
  delete from memento.job j
   where j.project_id = project and j.version_id = version and j.kind = 'extract_events' and j.job_id < last_job
     and j.finished_at < pg_catalog.now() - pg_catalog.current_setting(
           case j.state when 'failed' then 'memento.keep_failed_jobs' else 'memento.keep_done_jobs' end)::interval;
end;
comment on function memento._sweep_runs(uuid, uuid, bigint) is 'internal: deletes jobs that looked for events in a version long before the last one';

create function memento._replace_events(project uuid, version uuid, uid text, revision text, run uuid, found_by text, events jsonb) returns bigint
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  stored bigint;
begin
  delete from memento.semantic_event e where e.project_id = project and e.version_id = version;
  with given as materialized (
    select gen_random_uuid() as event_id, gen_random_uuid() as evidence_id, e.event from jsonb_array_elements(events) e(event)
  ), listed as (
    select array_agg(g.event_id) as event_keys, array_agg(case when q.place = 1 then g.evidence_id else gen_random_uuid() end) as keys,
           array_agg((q.span ->> 'start_char')::int) as starts, array_agg((q.span ->> 'end_char')::int) as ends,
           array_agg(q.span ->> 'quote') as quotes
      from given g
     cross join lateral jsonb_array_elements(g.event -> 'evidence') with ordinality q(span, place)
  ), quoted as (
    insert into memento.event_evidence (project_id, event_id, evidence_id, version_id, chunk_id, start_char, end_char, artifact_uid, revision_id, quote)
    select project, s.event_id, s.evidence_id, version, s.chunk_id, s.start_char, s.end_char, uid, revision, s.quote
      from listed l
     cross join lateral unnest(l.event_keys, l.keys, l.starts, l.ends, l.quotes, memento._chunks_of(project, version, l.starts, l.ends))
                        s(event_id, evidence_id, start_char, end_char, quote, chunk_id)
  )
  insert into memento.semantic_event (project_id, event_id, version_id, evidence_id, extraction_run_id, event_time, confidence, category,
                                      artifact_uid, revision_id, extractor, narrative, subject_json, actors_json)
  select project, g.event_id, version, g.evidence_id, run, (g.event ->> 'event_time')::timestamptz, (g.event ->> 'confidence')::float8,
         g.event ->> 'category', uid, revision, found_by, g.event ->> 'narrative', g.event -> 'subject', g.event -> 'actors'
    from given g;
  get diagnostics stored = row_count;
  -- Now, and not at the end of a transaction that has said that the job is done.
  set constraints memento.semantic_event_evidence_id_fkey immediate;
  return stored;
end
$$;
comment on function memento._replace_events(uuid, uuid, text, text, uuid, text, jsonb) is 'internal: replaces the events of a version';

-- The first chunk that ends behind a span begins before it, or no chunk contains it: chunks begin in the order of their ordinals. Chunks and
-- spans are looked at together, from the last end backwards, so that no span looks at all chunks.
create function memento._chunks_of(project uuid, version uuid, starts int[], ends int[]) returns bigint[]
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  select pg_catalog.array_agg(case when f.chunk[2] <= f.start_char then f.chunk[3] end order by f.place)
    from (select l.place, l.start_char, pg_catalog.min(l.chunk) over (order by l.end_char desc) as chunk
            from (select null::bigint as place, null::int as start_char, c.end_char, array[c.ordinal, c.start_char, c.chunk_id] as chunk
                    from memento.chunk c where c.project_id = project and c.version_id = version
                  union all
                  select s.place, s.start_char, s.end_char, null
                    from unnest(starts, ends) with ordinality s(start_char, end_char, place)) l) f
   where f.place is not null;
$$;
comment on function memento._chunks_of(uuid, uuid, int[], int[]) is
  'internal: of each of these spans of a version the first chunk that contains it, or null';

create function memento._store_mentions(project uuid, version uuid, version_content text, entities jsonb) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- All that are mentioned, and all that were, in the order of keys, so that two documents that speak of the same do not wait for each other
  -- in a circle. The condition that is never true locks those that are there and leaves them as they are: nobody deletes them before
  -- they are mentioned, and one that is just being deleted is waited for and made anew.
  insert into memento.entity as e (project_id, entity_id, entity_type, canonical_name)
  select distinct on (n.entity_id) project, n.entity_id, n.type, n.name
    from (select memento._entity_id(g ->> 'type', g ->> 'name') as entity_id, g ->> 'type' as type, g ->> 'name' as name
            from jsonb_array_elements(entities) g
           where jsonb_array_length(g -> 'mentions') > 0
          union all
          select k.entity_id, k.entity_type, k.canonical_name
            from memento.entity k
           where k.project_id = project
             and k.entity_id in (select m.entity_id from memento.entity_mention m where m.project_id = project and m.version_id = version)) n
   order by n.entity_id, n.name
      on conflict (project_id, entity_id) do update set canonical_name = e.canonical_name where false;
  with named as materialized (
    select memento._entity_id(g ->> 'type', g ->> 'name') as entity_id, g -> 'mentions' as mentions from jsonb_array_elements(entities) g
  ), given as materialized (
    select distinct n.entity_id, (m ->> 'start_char')::int as start_char, (m ->> 'end_char')::int as end_char
      from named n
     cross join lateral jsonb_array_elements(n.mentions) m
  ), listed as (
    select array_agg(g.entity_id) as keys, array_agg(g.start_char) as starts, array_agg(g.end_char) as ends from given g
  ), added as (
    -- All surfaces by one pass through the content.
    insert into memento.entity_mention (project_id, version_id, entity_id, start_char, end_char, surface)
    select project, version, s.entity_id, s.start_char, s.end_char, s.surface
      from listed l
     cross join lateral unnest(l.keys, l.starts, l.ends, memento._texts_at(version_content, l.starts, l.ends)) s(entity_id, start_char, end_char, surface)
        on conflict do nothing
  )
  delete from memento.entity_mention m
   where m.project_id = project and m.version_id = version
     and (m.entity_id, m.start_char, m.end_char) not in (select g.entity_id, g.start_char, g.end_char from given g);
end
$$;
comment on function memento._store_mentions(uuid, uuid, text, jsonb) is
  'internal: replaces the mentions of entities in a version; entities that are mentioned before and after stay what they are';

create function memento._link_evidence(project uuid, version uuid) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  update memento.event_evidence e set chunk_id = s.chunk_id
    from (select array_agg(o.event_id) as event_keys, array_agg(o.evidence_id) as keys, array_agg(o.start_char) as starts, array_agg(o.end_char) as ends
            from memento.event_evidence o where o.project_id = project and o.version_id = version) l
   cross join lateral unnest(l.event_keys, l.keys, memento._chunks_of(project, version, l.starts, l.ends)) s(event_id, evidence_id, chunk_id)
   where e.project_id = project and e.event_id = s.event_id and e.evidence_id = s.evidence_id and e.chunk_id is distinct from s.chunk_id;
end
$$;
comment on function memento._link_evidence(uuid, uuid) is 'internal: finds the chunks of quotes again after a version was cut anew';
