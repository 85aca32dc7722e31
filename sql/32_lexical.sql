-- What full-text search counts to rank by BM25: in how many chunks of the latest versions a word stands, how many chunks there
-- are and how long. All of it is derived, so none of it is dumped: without it, it is counted anew.
--
-- Writers do not wait for each other: they only note which version has changed. Whoever counts next, the worker or the writer
-- that finds too much uncounted, compares what is latest with what is counted and adds the difference; who counts for a project
-- holds its lock. A search adds the difference for what is not counted yet, so counting changes no result.

create table memento.lexical_stat (
  project_id uuid primary key references memento.project on delete cascade,
  chunk_count bigint not null default 0,
  word_count bigint not null default 0,
  counted_by xid8
);
comment on table memento.lexical_stat is 'How much there is to search in a project: what is counted of its latest versions.';
comment on column memento.lexical_stat.project_id is 'The project.';
comment on column memento.lexical_stat.chunk_count is 'How many chunks.';
comment on column memento.lexical_stat.word_count is 'How many words they have, without stop words.';
comment on column memento.lexical_stat.counted_by is 'The transaction that counted last.';

-- Counts change all the time: room for the next one on the same page.
create table memento.lexeme_stat (
  project_id uuid not null references memento.project on delete cascade,
  lexeme text collate "C" not null,
  chunk_count bigint not null,
  primary key (project_id, lexeme)
) with (fillfactor = 80);
comment on table memento.lexeme_stat is 'In how many chunks of a project a word stands: what is counted of its latest versions.';
comment on column memento.lexeme_stat.project_id is 'The project.';
comment on column memento.lexeme_stat.lexeme is 'The word, as full-text search knows it.';
comment on column memento.lexeme_stat.chunk_count is 'How many chunks have it.';

create table memento.lexical_counted (
  project_id uuid not null references memento.project on delete cascade,
  version_id uuid not null,
  primary key (project_id, version_id)
);
comment on table memento.lexical_counted is 'The versions that are counted in lexical_stat and lexeme_stat.';
comment on column memento.lexical_counted.project_id is 'The project.';
comment on column memento.lexical_counted.version_id is 'The version.';

create table memento.lexical_pending (
  project_id uuid not null references memento.project on delete cascade,
  pending_id bigint generated always as identity,
  version_id uuid not null,
  chunk_count int not null,
  primary key (project_id, pending_id)
);
comment on table memento.lexical_pending is 'Versions that have changed since they were counted.';
comment on column memento.lexical_pending.project_id is 'The project.';
comment on column memento.lexical_pending.pending_id is 'The order of the changes.';
comment on sequence memento.lexical_pending_pending_id_seq is 'The order of changes.';
comment on column memento.lexical_pending.version_id is 'The version; perhaps it is gone.';
comment on column memento.lexical_pending.chunk_count is 'How many chunks it has, or had.';

create function memento._lock_counting(project uuid, wait boolean) returns boolean
  language plpgsql volatile strict parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  key constant bigint := hashtextextended('memento.lexical ' || project::text, 0);
begin
  if wait then
    perform pg_advisory_xact_lock(key);
    return true;
  end if;
  return pg_try_advisory_xact_lock(key);
end
$$;
comment on function memento._lock_counting(uuid, boolean) is 'internal: lets one transaction at a time count the words of a project';

-- Counts at most that many chunks, or one version, and returns how many; 0 if there is nothing to do or somebody else does it.
create function memento._count_words(project uuid, most_chunks bigint) returns bigint
  language plpgsql volatile strict parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  due bigint[];
  done bigint;
  perhaps_unused text[];
begin
  if not memento._lock_counting(project, false) then
    return 0;
  end if;
  insert into memento.lexical_stat (project_id) values (project) on conflict do nothing;
  if found then
    -- The first time here, perhaps after a restore that told us nothing.
    insert into memento.lexical_pending (project_id, version_id, chunk_count)
    select project, v.version_id, count(*)
      from memento.version v join memento.chunk c using (project_id, version_id)
     where v.project_id = project and v.is_latest
       and not exists (select from memento.lexical_pending p where p.project_id = project and p.version_id = v.version_id)
     group by v.version_id;
  end if;
  due := array(select d.pending_id
                 from (select p.pending_id, sum(p.chunk_count) over (order by p.pending_id) - p.chunk_count as before
                         from (select * from memento.lexical_pending p
                                where p.project_id = project order by p.project_id, p.pending_id limit most_chunks) p) d
                where d.before < most_chunks);
  -- One statement, so one view of what is latest, counted and noted: a note that comes meanwhile stays. Lists instead of joins,
  -- because nobody knows how large these tables are when a plan is made.
  with taken as (
    delete from memento.lexical_pending p
     where p.project_id = project and p.pending_id = any (due)
    returning p.version_id, p.chunk_count
  ), changed as materialized (
    select t.version_id, memento._counts(project, t.version_id) as sign
      from (select distinct version_id from taken) t
  ), counted as (
    insert into memento.lexical_counted (project_id, version_id) select project, x.version_id from changed x where x.sign > 0
  ), uncounted as (
    delete from memento.lexical_counted k
     where k.project_id = project and k.version_id = any (array(select x.version_id from changed x where x.sign < 0))
  ), chunks as materialized (
    select x.sign, c.tsv
      from changed x join memento.chunk c on c.project_id = project and c.version_id = x.version_id
     where x.sign <> 0
  ), words as materialized (
    select w.lexeme, sum(c.sign) as difference from chunks c cross join lateral unnest(c.tsv) w group by w.lexeme
  ), written as (
    insert into memento.lexeme_stat as s (project_id, lexeme, chunk_count)
    select project, w.lexeme, w.difference from words w where w.difference <> 0
        on conflict (project_id, lexeme) do update set chunk_count = s.chunk_count + excluded.chunk_count
  ), summed as (
    update memento.lexical_stat s
       set chunk_count = s.chunk_count + coalesce((select sum(c.sign) from chunks c), 0),
           word_count = s.word_count + coalesce((select sum(c.sign * memento._word_count(c.tsv)) from chunks c), 0),
           counted_by = pg_current_xact_id()
     where s.project_id = project and exists (select from taken)
  )
  select (select coalesce(sum(greatest(t.chunk_count, 1)), 0) from taken t),
         (select array_agg(w.lexeme) from words w where w.difference < 0)
    into done, perhaps_unused;
  delete from memento.lexeme_stat s where s.project_id = project and s.lexeme = any (perhaps_unused) and s.chunk_count <= 0;
  return done;
end
$$;
comment on function memento._count_words(uuid, bigint) is 'worker: counts what has changed in a project, some chunks at a time';

create function memento._counts(project uuid, version uuid) returns int
  language sql stable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  -- What is latest and has chunks is to be counted.
  select coalesce((select v.is_latest::int from memento.version v
                    where v.project_id = project and v.version_id = version
                      and exists (select from memento.chunk c where c.project_id = project and c.version_id = version)), 0)
         - (exists (select from memento.lexical_counted k where k.project_id = project and k.version_id = version))::int;
end;
comment on function memento._counts(uuid, uuid) is 'internal: 1 if a version is to be counted and is not, -1 if it is counted and is not to be, else 0';

create function memento._note_change(project uuid, version uuid) returns void
  language plpgsql volatile strict parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into memento.lexical_pending (project_id, version_id, chunk_count)
  select project, version, count(*) from memento.chunk c where c.project_id = project and c.version_id = version
  having count(*) > 0;
  -- A search reads what is not counted, so that must not become much. Not where it could be refused for somebody else's work;
  -- and once in a transaction, or a row that is counted again and again would get as many dead copies.
  if current_setting('transaction_isolation') <> 'read committed'
     or exists (select from memento.lexical_stat s where s.project_id = project and s.counted_by = pg_current_xact_id()) then
    return;
  end if;
  -- In the order of the index, which is what keeps the planner from reading all of it.
  if (select sum(f.chunk_count)
        from (select p.chunk_count from memento.lexical_pending p
               where p.project_id = project order by p.project_id, p.pending_id limit 64) f) >= 64 then
    perform memento._count_words(project, 256);
  end if;
end
$$;
comment on function memento._note_change(uuid, uuid) is 'internal: notes that a version has changed, and counts if much has';

create function memento._note_new_chunks() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform memento._note_change(new.project_id, new.version_id);
  return null;
end
$$;
comment on function memento._note_new_chunks() is 'internal: notes that a version has chunks';
-- All chunks of a version come in one statement, so its first one speaks for them.
create trigger chunk_insert_note after insert on memento.chunk
  for each row when (new.ordinal = 0) execute function memento._note_new_chunks();

create function memento._note_superseded() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform memento._note_change(new.project_id, new.version_id);
  return null;
end
$$;
comment on function memento._note_superseded() is 'internal: notes that a version is the latest no longer';
create trigger version_update_note after update of is_latest on memento.version
  for each row when (new.is_latest <> old.is_latest) execute function memento._note_superseded();

-- Words of what is erased must not stay behind, so they are taken off at once.
create function memento._uncount_deleted() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  project uuid;
  perhaps_unused text[];
begin
  for project in select distinct o.project_id from old_chunk o order by 1 loop
    perform memento._lock_counting(project, true);
    with chunks as materialized (
      select o.tsv from old_chunk o join memento.lexical_counted k using (project_id, version_id) where o.project_id = project
    ), words as materialized (
      select w.lexeme, count(*) as chunk_count from chunks c cross join lateral unnest(c.tsv) w group by w.lexeme
    ), written as (
      update memento.lexeme_stat s set chunk_count = s.chunk_count - w.chunk_count
        from words w where s.project_id = project and s.lexeme = w.lexeme
    ), summed as (
      update memento.lexical_stat s
         set chunk_count = s.chunk_count - (select count(*) from chunks),
             word_count = s.word_count - (select coalesce(sum(memento._word_count(c.tsv)), 0) from chunks c)
       where s.project_id = project and exists (select from chunks)
    )
    select array_agg(w.lexeme) into perhaps_unused from words w;
    delete from memento.lexeme_stat s where s.project_id = project and s.lexeme = any (perhaps_unused) and s.chunk_count <= 0;
    delete from memento.lexical_counted k
     where k.project_id = project
       and k.version_id in (select o.version_id from old_chunk o where o.project_id = project)
       and not exists (select from memento.chunk c where c.project_id = project and c.version_id = k.version_id);
    delete from memento.lexical_pending p
     where p.project_id = project
       and p.version_id in (select o.version_id from old_chunk o where o.project_id = project)
       and not exists (select from memento.chunk c where c.project_id = project and c.version_id = p.version_id);
  end loop;
  return null;
end
$$;
comment on function memento._uncount_deleted() is 'internal: takes deleted chunks off the counts';
create trigger chunk_delete_uncount after delete on memento.chunk
  referencing old table as old_chunk for each statement execute function memento._uncount_deleted();

comment on function memento._word_count(tsvector) is 'internal: how many words a text has, without stop words';
comment on function memento._bm25(tsvector, bytea) is 'internal: the BM25 score of a text for a query that was made ready';
comment on function memento._words_among(tsvector, text[]) is 'internal: which of the given words a text has, by their places from 0';
