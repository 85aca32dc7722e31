-- Entities: the people, organisations, projects and things that are spoken of, and where.

create function memento._entity_id(type text, name text) returns text
  language sql immutable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select 'ent_' || pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(
           type || ':' || pg_catalog.lower(pg_catalog.regexp_replace(pg_catalog.btrim(name), '\s+', ' ', 'g') collate "C"), 'UTF8')), 'hex'), 24);
end;
comment on function memento._entity_id(text, text) is 'internal: the key of an entity, from its type and name';

-- The same in an index and in what is asked for, whatever lower() makes of a letter here. No longer than an index takes.
create function memento._name_key(name text) returns text
  language sql immutable strict parallel safe
  return pg_catalog.lower(pg_catalog.left(pg_catalog.btrim(name), 200));
comment on function memento._name_key(text) is 'internal: what names are compared by';

create function memento._name_keys(names text[]) returns text[]
  language sql immutable strict parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.array_agg(memento._name_key(n)) from pg_catalog.unnest(names) n;
end;
comment on function memento._name_keys(text[]) is 'internal: what several names are compared by';

create table memento.entity (
  project_id uuid not null references memento.project on delete cascade,
  entity_id text not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  entity_type text not null,
  canonical_name text not null,
  primary key (project_id, entity_id),
  constraint entity_type_form check (entity_type ~ '^[a-z][a-z_]{0,62}$'),
  constraint entity_canonical_name_form check (canonical_name ~ '\S' and pg_catalog.char_length(canonical_name) <= 200),
  constraint entity_id_derived check (entity_id = memento._entity_id(entity_type, canonical_name))
);
create index entity_name_idx on memento.entity (project_id, memento._name_key(canonical_name));
comment on table memento.entity is 'Somebody or something that texts speak of. Erased with its last mention.';
comment on column memento.entity.project_id is 'The project.';
comment on column memento.entity.entity_id is 'Key in its project: ent_ and 24 hexadecimal digits of the SHA-256 of the type and the name in lower case.';
comment on column memento.entity.created_at is 'When it was first found.';
comment on column memento.entity.entity_type is 'What it is: person, org, project, object, place, time ...';
comment on column memento.entity.canonical_name is 'Its name.';

create table memento.entity_mention (
  project_id uuid not null,
  version_id uuid not null,
  entity_id text not null,
  start_char int not null,
  end_char int not null,
  surface text not null,
  primary key (project_id, version_id, entity_id, start_char, end_char),
  constraint entity_mention_version_id_fkey foreign key (project_id, version_id) references memento.version on delete cascade,
  constraint entity_mention_entity_id_fkey foreign key (project_id, entity_id) references memento.entity on delete cascade,
  constraint entity_mention_span_form check (start_char >= 0 and end_char > start_char)
);
comment on table memento.entity_mention is 'Where a version speaks of an entity.';
comment on column memento.entity_mention.project_id is 'The project.';
comment on column memento.entity_mention.version_id is 'The version.';
comment on column memento.entity_mention.entity_id is 'The entity.';
comment on column memento.entity_mention.start_char is 'Offset of the first character of the name that is used there, in Unicode code points from 0.';
comment on column memento.entity_mention.end_char is 'Offset after the last character.';
comment on column memento.entity_mention.surface is 'The name that is used there: the exact text of the span. The aliases of an entity are its surfaces, so that they go with the texts that use them.';
create index entity_mention_name_idx on memento.entity_mention (project_id, memento._name_key(surface));
create index entity_mention_entity_id_idx on memento.entity_mention (project_id, entity_id);

-- A name may be all that is left of a text that was erased.
create function memento._delete_unmentioned() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- Whoever is about to mention one has it locked: wait, and look then.
  perform from memento.entity e
    where (e.project_id, e.entity_id) in (select g.project_id, g.entity_id from gone g)
    order by e.project_id, e.entity_id for update;
  delete from memento.entity e
   using (select distinct g.project_id, g.entity_id from gone g) d
   where e.project_id = d.project_id and e.entity_id = d.entity_id
     and not exists (select from memento.entity_mention m where m.project_id = e.project_id and m.entity_id = e.entity_id);
  return null;
end
$$;
comment on function memento._delete_unmentioned() is 'internal: deletes entities that no text mentions any more';
create trigger entity_mention_delete_unmentioned after delete on memento.entity_mention
  referencing old table as gone for each statement execute function memento._delete_unmentioned();
