-- Semantic events: what was decided, promised, done and changed, each with quotes that are checked against the stored version.

-- A quote comes before its event: an event names one of its quotes by a foreign key, which is how it cannot be without any, also
-- between two transactions; and a dump restores the quotes first, so that every row passes its checks in the transaction that brings it.
create table memento.event_evidence (
  project_id uuid not null,
  event_id uuid not null,
  evidence_id uuid not null default pg_catalog.gen_random_uuid(),
  version_id uuid not null,
  chunk_id bigint,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  start_char int not null,
  end_char int not null,
  artifact_uid text not null,
  revision_id text not null,
  quote text not null,
  primary key (project_id, event_id, evidence_id),
  constraint event_evidence_version_id_fkey foreign key (project_id, version_id) references memento.version on delete cascade,
  -- Chunks are made anew when a version is ingested again; the quote stays where it is.
  constraint event_evidence_chunk_id_fkey foreign key (project_id, chunk_id) references memento.chunk on delete set null (chunk_id),
  constraint event_evidence_span_form check (start_char >= 0 and end_char > start_char)
);
comment on table memento.event_evidence is 'Where an event is said: substr(content, start_char + 1, end_char - start_char) = quote, checked for whoever writes it.';
comment on column memento.event_evidence.project_id is 'The project.';
comment on column memento.event_evidence.event_id is 'The event. It goes with it.';
comment on column memento.event_evidence.evidence_id is 'Key of the quote.';
comment on column memento.event_evidence.version_id is 'The version that it is quoted from: the first with the content of the revision.';
comment on column memento.event_evidence.chunk_id is 'A chunk that contains it; null where none does as a whole.';
comment on column memento.event_evidence.created_at is 'When it was found.';
comment on column memento.event_evidence.start_char is 'Offset of its first character in the version, in Unicode code points from 0.';
comment on column memento.event_evidence.end_char is 'Offset after its last character.';
comment on column memento.event_evidence.artifact_uid is 'The artifact: artifact_uid of the item.';
comment on column memento.event_evidence.revision_id is 'The revision, named by the content.';
comment on column memento.event_evidence.quote is 'The exact text, at most 25 words.';
create index event_evidence_version_id_idx on memento.event_evidence (project_id, version_id);
create index event_evidence_chunk_id_idx on memento.event_evidence (project_id, chunk_id) where chunk_id is not null;

create function memento._refs(list jsonb) returns text
  language sql immutable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.string_agg(a.actor ->> 'ref', ' ' order by a.place)
    from pg_catalog.jsonb_array_elements(case pg_catalog.jsonb_typeof(list) when 'array' then list else '[]' end) with ordinality a(actor, place);
end;
comment on function memento._refs(jsonb) is 'internal: the names of actors';

create function memento._names(content text) returns tsvector
  language sql immutable parallel safe
  return pg_catalog.to_tsvector('pg_catalog.simple'::regconfig, pg_catalog.translate(coalesce(content, ''), '/.:=@-_', '       '));
comment on function memento._names(text) is 'internal: the words of names, as they are';

-- Words, names, category, artifact and time, each with its project, are keys of one index. Whatever is asked for together is read as an
-- intersection of short lists, and what other projects say is not read. Two keys are the same once in many billions.
create function memento._event_key(project uuid, kind text, word text) returns bigint
  language sql immutable strict parallel safe
  return pg_catalog.hashtextextended((project::text || kind || word) collate "C", 0);
comment on function memento._event_key(uuid, text, text) is
  'internal: the key of what events of a project have in common: a word (w), a word of an actor''s (a) or the subject''s name (s), the category (c), the artifact (u), four weeks of time (t)';

create function memento._weeks(at timestamptz) returns bigint
  language sql immutable strict parallel safe
  return case when pg_catalog.isfinite(at) then pg_catalog.floor(extract(epoch from at - timestamptz '1970-01-01 00:00+00') / 2419200)::bigint end;
comment on function memento._weeks(timestamptz) is 'internal: which four weeks since 1970 a time is in; null for an infinite one';

-- Its cost is far beyond what is true: rows are to be found by the index, and never by making the keys of each.
create function memento._event_keys(project uuid, category text, uid text, at timestamptz, words tsvector, actors tsvector, subject tsvector) returns bigint[]
  language sql immutable parallel safe cost 10000
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.array_agg(memento._event_key(project, k.kind, k.word))
    from (select 'w' as kind, w.lexeme as word from pg_catalog.unnest(words) w
          union all select 'a' as kind, a.lexeme as word from pg_catalog.unnest(actors) a
          union all select 's' as kind, s.lexeme as word from pg_catalog.unnest(subject) s
          union all select 'c' as kind, category as word
          union all select 'u' as kind, uid as word
          union all select 't' as kind, memento._weeks(at)::text as word) k
   where k.word is not null;
end;
comment on function memento._event_keys(uuid, text, text, timestamptz, tsvector, tsvector, tsvector) is 'internal: the keys of an event';

create table memento.semantic_event (
  project_id uuid not null,
  event_id uuid not null default pg_catalog.gen_random_uuid(),
  version_id uuid not null,
  evidence_id uuid not null,
  extraction_run_id uuid not null,
  event_time timestamptz,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  confidence double precision not null,
  category text not null,
  artifact_uid text not null,
  revision_id text not null,
  extractor text not null,
  narrative text not null,
  subject_json jsonb not null,
  actors_json jsonb not null,
  -- Derived, so that they cannot differ from what is said and need not be dumped.
  tsv tsvector not null generated always as (
    memento._words(narrative || ' ' || coalesce(subject_json ->> 'ref', '') || ' ' || coalesce(memento._refs(actors_json), '') || ' '
                   || case category when 'QualityRisk' then 'quality risk' else category end)) stored,
  actor_names tsvector not null generated always as (memento._names(memento._refs(actors_json))) stored,
  subject_names tsvector not null generated always as (memento._names(subject_json ->> 'ref')) stored,
  primary key (project_id, event_id),
  constraint semantic_event_version_id_fkey foreign key (project_id, version_id) references memento.version on delete cascade,
  constraint semantic_event_evidence_id_fkey foreign key (project_id, event_id, evidence_id) references memento.event_evidence
    deferrable initially deferred,
  constraint semantic_event_category_known check (category in ('Commitment', 'Execution', 'Decision', 'Collaboration', 'QualityRisk', 'Feedback', 'Change', 'Stakeholder')),
  constraint semantic_event_confidence_bounded check (confidence between 0 and 1),
  constraint semantic_event_narrative_form check (narrative ~ '\S' and pg_catalog.char_length(narrative) <= 2000),
  constraint semantic_event_subject_form check (
    pg_catalog.jsonb_typeof(subject_json) = 'object' and pg_catalog.jsonb_typeof(subject_json -> 'ref') is not distinct from 'string'
    and coalesce(subject_json ->> 'type', '') in ('person', 'project', 'object', 'other')),
  constraint semantic_event_actors_form check (
    pg_catalog.jsonb_typeof(actors_json) = 'array' and pg_catalog.jsonb_array_length(actors_json) <= 100
    and not pg_catalog.jsonb_path_exists(actors_json,
      '$[*] ? (!(@.ref.type() == "string" && (@.role == "owner" || @.role == "contributor" || @.role == "reviewer" || @.role == "stakeholder" || @.role == "other")))'))
);
comment on table memento.semantic_event is 'Something that a version says has happened or will. Written by jobs of kind extract_events, which replace the events of a revision as a whole.';
comment on column memento.semantic_event.project_id is 'The project.';
comment on column memento.semantic_event.event_id is 'Key of the event in its project.';
comment on column memento.semantic_event.version_id is 'The version that says so: the first with the content of the revision.';
comment on column memento.semantic_event.evidence_id is 'Its first quote; there is no event without one.';
comment on column memento.semantic_event.extraction_run_id is 'The run of the extractor that found it; the job''s result has it too.';
comment on column memento.semantic_event.event_time is 'When it happened or is due, as the text says; null if it does not.';
comment on column memento.semantic_event.created_at is 'When it was found.';
comment on column memento.semantic_event.confidence is 'How sure the extractor is, from 0 to 1.';
comment on column memento.semantic_event.category is 'Commitment, Execution, Decision, Collaboration, QualityRisk, Feedback, Change or Stakeholder.';
comment on column memento.semantic_event.artifact_uid is 'The artifact: artifact_uid of the item.';
comment on column memento.semantic_event.revision_id is 'The revision, named by the content.';
comment on column memento.semantic_event.extractor is 'What found it: rules, or the provider and model.';
comment on column memento.semantic_event.narrative is 'What happened, in a sentence or two.';
comment on column memento.semantic_event.subject_json is 'What it is about: type (person, project, object or other) and ref.';
comment on column memento.semantic_event.actors_json is 'Who took part: a list of ref and role (owner, contributor, reviewer, stakeholder or other).';
comment on column memento.semantic_event.tsv is 'Its words, with those of subject, actors and category, for full-text search.';
comment on column memento.semantic_event.actor_names is 'The words of the actors'' names.';
comment on column memento.semantic_event.subject_names is 'The words of the subject.';
-- Without a list of what is pending, which each search would have to read.
create index semantic_event_keys_idx on memento.semantic_event
  using gin (memento._event_keys(project_id, category, artifact_uid, event_time, tsv, actor_names, subject_names)) with (fastupdate = off);
-- Few events may be as sure as is asked for: they are found without reading the others.
create index semantic_event_time_idx on memento.semantic_event (project_id, event_time desc nulls last, event_id) include (confidence);
create index semantic_event_category_time_idx on memento.semantic_event (project_id, category, event_time desc nulls last, event_id) include (confidence);
create index semantic_event_revision_idx on memento.semantic_event (project_id, artifact_uid, revision_id);
create index semantic_event_version_id_idx on memento.semantic_event (project_id, version_id);

create function memento._refuse_evidence(problem text, code text) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '%', problem
    using errcode = 'check_violation', detail = 'code=' || code,
          hint = 'find the quote with memento.locate_quote(), and leave events to jobs of kind extract_events';
end
$$;
comment on function memento._refuse_evidence(text, text) is 'internal: refuses a quote';

-- A quote is what the version says, whoever writes it. A content is read once for all of its quotes.
create function memento._require_quotes(project uuid, version uuid, uids text[], revisions text[], starts int[], ends int[], quotes text[]) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  source record;
  problem text;
begin
  select v.content, i.artifact_uid, memento._revision_id(v.content_hash) as revision_id into source
    from memento.version v
    join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
   where v.project_id = project and v.version_id = version;
  if (source.artifact_uid = all (uids) and source.revision_id = all (revisions)) is not true then
    perform memento._refuse_evidence('artifact_uid and revision_id are not those of the version', 'EVIDENCE_REVISION');
  end if;
  problem := memento._quote_problem(source.content, starts, ends, quotes);
  if problem is not null then
    perform memento._refuse_evidence(problem, 'EVIDENCE_NOT_IN_SOURCE');
  end if;
end
$$;
comment on function memento._require_quotes(uuid, uuid, text[], text[], int[], int[], text[]) is 'internal: refuses quotes that a version does not say, or that are said to be of another';

create function memento._check_evidence() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('memento.maintenance', true) is not distinct from 'on' then
    return null;
  end if;
  if tg_op = 'INSERT' then
    perform memento._require_quotes(n.project_id, n.version_id, array_agg(n.artifact_uid), array_agg(n.revision_id), array_agg(n.start_char),
                                    array_agg(n.end_char), array_agg(n.quote))
       from written n group by n.project_id, n.version_id;
  else
    -- What was there before says nothing new: while a version is being deleted its chunks go first, and leave the quotes that are about
    -- to go. Not by a join, which for many rows may be each with each.
    perform memento._require_quotes(n.project_id, n.version_id, array_agg(n.artifact_uid), array_agg(n.revision_id), array_agg(n.start_char),
                                    array_agg(n.end_char), array_agg(n.quote))
       from (select w.project_id, w.version_id, w.artifact_uid, w.revision_id, w.start_char, w.end_char, w.quote from written w
             except
             select f.project_id, f.version_id, f.artifact_uid, f.revision_id, f.start_char, f.end_char, f.quote from former f) n
      group by n.project_id, n.version_id;
  end if;
  if exists (select from written n
               left join memento.chunk c on c.project_id = n.project_id and c.chunk_id = n.chunk_id and c.version_id = n.version_id
              where n.chunk_id is not null and (c.start_char <= n.start_char and c.end_char >= n.end_char) is not true) then
    perform memento._refuse_evidence('the chunk does not contain the quote', 'EVIDENCE_CHUNK');
  end if;
  -- As _check_event() does for the other side: whichever of the two is written last.
  if exists (select from written n
               join memento.semantic_event e on e.project_id = n.project_id and e.event_id = n.event_id
              where (e.version_id, e.artifact_uid, e.revision_id) is distinct from (n.version_id, n.artifact_uid, n.revision_id)) then
    perform memento._refuse_evidence('the event and its quotes are of different versions', 'EVIDENCE_REVISION');
  end if;
  return null;
end
$$;
comment on function memento._check_evidence() is 'internal: checks quotes against what the versions say, and that they are of the version of their event';
create trigger event_evidence_insert_check after insert on memento.event_evidence
  referencing new table as written for each statement execute function memento._check_evidence();
create trigger event_evidence_update_check after update on memento.event_evidence
  referencing old table as former new table as written for each statement execute function memento._check_evidence();
alter table memento.event_evidence enable always trigger event_evidence_insert_check;
alter table memento.event_evidence enable always trigger event_evidence_update_check;

-- An event is of the version that its quotes are of.
create function memento._check_event() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from written n
               join memento.event_evidence e on e.project_id = n.project_id and e.event_id = n.event_id
              where (e.version_id, e.artifact_uid, e.revision_id) is distinct from (n.version_id, n.artifact_uid, n.revision_id)) then
    perform memento._refuse_evidence('the event and its quotes are of different versions', 'EVIDENCE_REVISION');
  end if;
  return null;
end
$$;
comment on function memento._check_event() is 'internal: checks that events and their quotes are of one version';
create trigger semantic_event_insert_check after insert on memento.semantic_event
  referencing new table as written for each statement execute function memento._check_event();
create trigger semantic_event_update_check after update on memento.semantic_event
  referencing new table as written for each statement execute function memento._check_event();
alter table memento.semantic_event enable always trigger semantic_event_insert_check;
alter table memento.semantic_event enable always trigger semantic_event_update_check;

-- A subscriber of logical replication applies row by row and runs no triggers of statements: the same checks once more, there only.
create function memento._check_applied_evidence() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('memento.maintenance', true) is not distinct from 'on' then
    return null;
  end if;
  -- Of a new row, nothing was there before.
  if (old.project_id, old.version_id, old.artifact_uid, old.revision_id, old.start_char, old.end_char, old.quote)
     is distinct from (new.project_id, new.version_id, new.artifact_uid, new.revision_id, new.start_char, new.end_char, new.quote) then
    perform memento._require_quotes(new.project_id, new.version_id, array[new.artifact_uid], array[new.revision_id], array[new.start_char],
                                    array[new.end_char], array[new.quote]);
  end if;
  if new.chunk_id is not null
     and not exists (select from memento.chunk c
                      where c.project_id = new.project_id and c.chunk_id = new.chunk_id and c.version_id = new.version_id
                        and c.start_char <= new.start_char and c.end_char >= new.end_char) then
    perform memento._refuse_evidence('the chunk does not contain the quote', 'EVIDENCE_CHUNK');
  end if;
  if exists (select from memento.semantic_event e
              where e.project_id = new.project_id and e.event_id = new.event_id
                and (e.version_id, e.artifact_uid, e.revision_id) is distinct from (new.version_id, new.artifact_uid, new.revision_id)) then
    perform memento._refuse_evidence('the event and its quotes are of different versions', 'EVIDENCE_REVISION');
  end if;
  return null;
end
$$;
comment on function memento._check_applied_evidence() is 'internal: checks a quote that replication brings, as _check_evidence() does';
create trigger event_evidence_apply_check after insert or update on memento.event_evidence
  for each row execute function memento._check_applied_evidence();
alter table memento.event_evidence enable replica trigger event_evidence_apply_check;

create function memento._check_applied_event() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from memento.event_evidence e
              where e.project_id = new.project_id and e.event_id = new.event_id
                and (e.version_id, e.artifact_uid, e.revision_id) is distinct from (new.version_id, new.artifact_uid, new.revision_id)) then
    perform memento._refuse_evidence('the event and its quotes are of different versions', 'EVIDENCE_REVISION');
  end if;
  return null;
end
$$;
comment on function memento._check_applied_event() is 'internal: checks an event that replication brings, as _check_event() does';
create trigger semantic_event_apply_check after insert or update on memento.semantic_event
  for each row execute function memento._check_applied_event();
alter table memento.semantic_event enable replica trigger semantic_event_apply_check;

-- Where foreign keys are not looked at: replication, and whoever says that he is one. At the end of the transaction, and only of events
-- that are there then, so that it does not matter what is written first.
create function memento._require_evidence() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  project uuid;
  event uuid;
begin
  if current_setting('memento.maintenance', true) is not distinct from 'on' then
    return null;
  end if;
  if tg_table_name = 'event_evidence' then
    project := old.project_id;
    event := old.event_id;
  else
    project := new.project_id;
    event := new.event_id;
  end if;
  if exists (select from memento.semantic_event e
              where e.project_id = project and e.event_id = event
                and not exists (select from memento.event_evidence q
                                 where q.project_id = e.project_id and q.event_id = e.event_id and q.evidence_id = e.evidence_id)) then
    perform memento._refuse_evidence('the event has no evidence', 'EVIDENCE_MISSING');
  end if;
  return null;
end
$$;
comment on function memento._require_evidence() is 'internal: refuses an event without a quote where the foreign key does not';
create constraint trigger semantic_event_require_evidence after insert or update on memento.semantic_event
  deferrable initially deferred
  for each row when (pg_catalog.current_setting('session_replication_role') = 'replica') execute function memento._require_evidence();
create constraint trigger event_evidence_require_evidence after delete or update on memento.event_evidence
  deferrable initially deferred
  for each row when (pg_catalog.current_setting('session_replication_role') = 'replica') execute function memento._require_evidence();
alter table memento.semantic_event enable always trigger semantic_event_require_evidence;
alter table memento.event_evidence enable always trigger event_evidence_require_evidence;

create function memento._delete_evidence() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from memento.event_evidence e using gone g where e.project_id = g.project_id and e.event_id = g.event_id;
  return null;
end
$$;
comment on function memento._delete_evidence() is 'internal: deletes the quotes of events that are deleted';
create trigger semantic_event_delete_evidence after delete on memento.semantic_event
  referencing old table as gone for each statement execute function memento._delete_evidence();

-- The same in every session, whatever its time zone.
create function memento._utc(at timestamptz) returns text
  language sql stable parallel safe
  return case when pg_catalog.isfinite(at) then (pg_catalog.to_jsonb(at at time zone 'UTC') #>> '{}') || 'Z' else at::text end;
comment on function memento._utc(timestamptz) is 'internal: a time as ISO 8601 in UTC, as the tools show it';

-- As the tools show it. Chunks have names only where the artifact is long enough to be named by them.
-- Both become part of the statement that uses them, which a function with settings, or with a subselect in its expression, does not: for a
-- page of twenty events that was a fifth of the work.
create function memento._event_shown(e memento.semantic_event, in_full boolean) returns jsonb
  language sql stable parallel safe
  return pg_catalog.jsonb_build_object(
           'event_id', e.event_id, 'artifact_uid', e.artifact_uid, 'revision_id', e.revision_id, 'category', e.category,
           'event_time', memento._utc(e.event_time), 'narrative', e.narrative, 'subject', e.subject_json, 'actors', e.actors_json,
           'confidence', e.confidence, 'extractor', e.extractor)
         || case when in_full
                 then pg_catalog.jsonb_build_object('extraction_run_id', e.extraction_run_id, 'created_at', memento._utc(e.created_at), 'version_id', e.version_id)
                 else '{}' end;
comment on function memento._event_shown(memento.semantic_event, boolean) is 'internal: an event as the tools show it, without its evidence';

create function memento._evidence_shown(project uuid, event uuid) returns table (shown jsonb)
  language sql stable parallel safe rows 1
begin atomic
  select pg_catalog.jsonb_build_object('evidence', coalesce(pg_catalog.jsonb_agg(
           pg_catalog.jsonb_build_object(
             'evidence_id', q.evidence_id, 'quote', q.quote, 'start_char', q.start_char, 'end_char', q.end_char,
             'chunk_id', case when r.is_chunked then memento._chunk_name(r.artifact_id, c.ordinal, c.chunk_text) end,
             'artifact_id', coalesce(r.artifact_id, memento._artifact_id(q.artifact_uid, q.revision_id)))
           order by q.start_char, q.end_char, q.evidence_id), '[]'))
    from memento.event_evidence q
    -- Each by its key: a plan that is kept from when there were few chunks must not read all of a project.
    left join lateral (
      select k.ordinal, k.chunk_text from memento.chunk k where k.project_id = q.project_id and k.chunk_id = q.chunk_id offset 0) c on true
    left join memento.artifact_revision r
      on r.project_id = q.project_id and r.artifact_uid = q.artifact_uid and r.revision_id = q.revision_id
   where q.project_id = project and q.event_id = event;
end;
comment on function memento._evidence_shown(uuid, uuid) is 'internal: the evidence of an event as the tools show it';
