-- Chat profiles: which model answers in words, and how it is reached. Shared by projects, as embedding profiles are.

create table memento.chat_profile (
  profile_id uuid primary key default pg_catalog.gen_random_uuid(),
  name text not null unique,
  provider text not null,
  model text not null,
  config jsonb not null default '{}',
  endpoint text not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  -- The extractor that needs no model has this name.
  constraint chat_profile_name_form check (name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$' and name <> 'rules'),
  constraint chat_profile_model_form check (model ~ '\S' and pg_catalog.char_length(model) <= 200),
  constraint chat_profile_config_object check (pg_catalog.jsonb_typeof(config) = 'object')
);
comment on table memento.chat_profile is 'A model that answers in words, with how it is reached. Written by chat_profiles_upsert(), for superusers only.';
comment on column memento.chat_profile.profile_id is 'Key of the profile.';
comment on column memento.chat_profile.name is 'Unique name.';
comment on column memento.chat_profile.provider is 'openai, for any server that speaks its protocol.';
comment on column memento.chat_profile.model is 'The model, as the provider names it.';
comment on column memento.chat_profile.config is 'How the model is reached. Keys by reference only.';
comment on column memento.chat_profile.endpoint is 'The provider and host that is called; those who share it share its pauses.';
comment on column memento.chat_profile.created_at is 'When it was made.';
