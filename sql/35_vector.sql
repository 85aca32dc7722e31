-- Vectors of chunks, one for each profile that a project uses. The index of a profile is made by the worker.

create table memento.chunk_embedding (
  project_id uuid not null,
  chunk_id bigint not null,
  profile_id uuid not null references memento.embedding_profile,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  -- Without dimensions: those of the profile, to which its index casts.
  embedding vector not null,
  primary key (project_id, chunk_id, profile_id),
  constraint chunk_embedding_chunk_id_fkey foreign key (project_id, chunk_id) references memento.chunk on delete cascade
);
comment on table memento.chunk_embedding is 'The vector of a chunk by the model of a profile.';
comment on column memento.chunk_embedding.project_id is 'The project.';
comment on column memento.chunk_embedding.chunk_id is 'The chunk, whose text never changes.';
comment on column memento.chunk_embedding.profile_id is 'The profile.';
comment on column memento.chunk_embedding.created_at is 'When it was stored.';
comment on column memento.chunk_embedding.embedding is 'The vector, with the dimensions of the profile.';
