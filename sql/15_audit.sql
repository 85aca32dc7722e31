-- Who did what, when, and in which session.

create table memento.session (
  project_id uuid not null references memento.project on delete cascade,
  session_id uuid not null default pg_catalog.gen_random_uuid(),
  started_at timestamptz not null default pg_catalog.clock_timestamp(),
  started_by name not null,
  ended_at timestamptz,
  title text,
  summary text,
  metadata jsonb not null default '{}',
  primary key (project_id, session_id),
  constraint session_metadata_object check (pg_catalog.jsonb_typeof(metadata) = 'object'),
  constraint session_ends_after_start check (ended_at >= started_at)
);
comment on table memento.session is 'A stretch of work of an agent or a person, to which commits can belong.';
comment on column memento.session.project_id is 'The project.';
comment on column memento.session.session_id is 'Key of the session in its project.';
comment on column memento.session.started_at is 'When it began.';
comment on column memento.session.started_by is 'The role that began it.';
comment on column memento.session.ended_at is 'When it ended; null while it goes on.';
comment on column memento.session.title is 'What it is about.';
comment on column memento.session.summary is 'What came of it.';
comment on column memento.session.metadata is 'Anything else, as a JSON object.';

create table memento.commit (
  project_id uuid not null references memento.project on delete cascade,
  commit_id uuid not null default pg_catalog.gen_random_uuid(),
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  created_by name not null,
  operation text not null,
  session_id uuid,
  message text,
  idempotency_key text,
  request_hash bytea,
  result jsonb,
  primary key (project_id, commit_id),
  constraint commit_session_id_fkey foreign key (project_id, session_id) references memento.session,
  constraint commit_idempotency_key_key unique (project_id, idempotency_key),
  constraint commit_idempotency_whole check ((idempotency_key is null) = (request_hash is null))
);
comment on table memento.commit is 'One write of memories: what was written together, by whom, and for whom it counts as done.';
comment on column memento.commit.project_id is 'The project.';
comment on column memento.commit.commit_id is 'Key of the commit in its project.';
comment on column memento.commit.created_at is 'When.';
comment on column memento.commit.created_by is 'By which role.';
comment on column memento.commit.operation is 'What was done: remember, commit, canonical, artifact or restore.';
comment on column memento.commit.session_id is 'The session that it belongs to, if any.';
comment on column memento.commit.message is 'Why, in the words of who did it; gone when what was written is forgotten.';
comment on column memento.commit.idempotency_key is 'The caller''s name for the request: the same again gives the first result.';
comment on column memento.commit.request_hash is 'SHA-256 of the request, to tell the same from another.';
comment on column memento.commit.result is 'The result of a request that has an idempotency key.';
create index commit_session_id_idx on memento.commit (project_id, session_id) where session_id is not null;
