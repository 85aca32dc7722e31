-- Embedding profiles: which model turns texts into vectors. Shared by projects, so that the number of vector indexes does
-- not grow with tenants.

create table memento.embedding_profile (
  profile_id uuid primary key default pg_catalog.gen_random_uuid(),
  name text not null unique,
  provider text not null,
  model text not null,
  dims int not null,
  distance text not null default 'cosine',
  config jsonb not null default '{}',
  endpoint text not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  constraint embedding_profile_name_form check (name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
  constraint embedding_profile_model_form check (model ~ '\S' and pg_catalog.char_length(model) <= 200),
  -- pgvector indexes a vector of up to 2,000 dimensions, a halfvec of up to 4,000.
  constraint embedding_profile_dims_indexable check (dims between 1 and 4000),
  constraint embedding_profile_distance_known check (distance in ('cosine', 'l2', 'ip')),
  constraint embedding_profile_config_object check (pg_catalog.jsonb_typeof(config) = 'object')
);
comment on table memento.embedding_profile is 'A model that turns texts into vectors, with how it is reached. Written by embedding_profiles_upsert(), for superusers only.';
comment on column memento.embedding_profile.profile_id is 'Key of the profile.';
comment on column memento.embedding_profile.name is 'Unique name.';
comment on column memento.embedding_profile.provider is 'local, openai, voyage, jina, tei or hash.';
comment on column memento.embedding_profile.model is 'The model, as the provider names it.';
comment on column memento.embedding_profile.dims is 'How many numbers a vector has.';
comment on column memento.embedding_profile.distance is 'How vectors are compared: cosine, l2 or ip.';
comment on column memento.embedding_profile.config is 'How the model is reached, how its index is built (hnsw) and how it is searched (query). Keys by reference only.';
comment on column memento.embedding_profile.endpoint is 'The provider and host that is called; those who share it share its pauses.';
comment on column memento.embedding_profile.created_at is 'When it was made.';

-- The model that needs no key and no other service. Not in dumps: it is there wherever the extension is, and the same everywhere.
insert into memento.embedding_profile (profile_id, name, provider, model, dims, endpoint, created_at)
values ('00000000-0000-0000-0000-000000000001', 'local', 'local', 'all-MiniLM-L6-v2', 384, 'local:all-MiniLM-L6-v2', '-infinity');

-- A vector means something only with the model that made it: what decides about it never changes.
create function memento._keep_profile() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the model of an embedding profile cannot be changed'
    using errcode = 'object_not_in_prerequisite_state', detail = 'code=PROFILE_IMMUTABLE',
          hint = 'make a new profile, fill it with memento.embedding_profiles_fill() and switch with memento.embedding_profiles_activate()';
end
$$;
comment on function memento._keep_profile() is 'internal: keeps the model of a profile';
create trigger embedding_profile_update_keep before update on memento.embedding_profile
  for each row
  when ((new.profile_id, new.provider, new.model, new.dims, new.distance)
        is distinct from (old.profile_id, old.provider, old.model, old.dims, old.distance))
  execute function memento._keep_profile();

-- The model of a local profile is a file: its name says less than what is in it.
create function memento._bind_model(profile uuid, model_fingerprint text) returns void
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update memento.embedding_profile p set config = p.config || jsonb_build_object('fingerprint', model_fingerprint)
   where p.profile_id = profile and p.config ->> 'fingerprint' is null;
  if exists (select from memento.embedding_profile p where p.profile_id = profile and p.config ->> 'fingerprint' <> model_fingerprint) then
    raise exception 'the local model is not the one that made the vectors of the profile'
      using errcode = 'object_not_in_prerequisite_state', detail = 'code=MODEL_CHANGED',
            hint = 'give each model a directory of its own under memento.model_dir, and a profile of its own';
  end if;
end
$$;
comment on function memento._bind_model(uuid, text) is
  'worker: records which model has made the first vectors of a profile, and refuses those of another one';
