-- Artifacts: documents of other systems, ingested revision by revision.

create function memento._revision_id(content_hash bytea) returns text
  language sql immutable strict parallel safe
  return 'rev_' || pg_catalog.left(pg_catalog.encode(content_hash, 'hex'), 16);
comment on function memento._revision_id(bytea) is 'internal: the name of a revision, from the hash of its content';

create function memento._artifact_id(artifact_uid text, revision_id text) returns text
  language sql immutable strict parallel safe
  return 'art_' || pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(artifact_uid || ':' || revision_id, 'UTF8')), 'hex'), 16);
comment on function memento._artifact_id(text, text) is 'internal: the name of one revision of one artifact';

create function memento._chunk_name(artifact_id text, ordinal int, chunk_text text) returns text
  language sql immutable strict parallel safe
  return artifact_id || '::chunk::' || pg_catalog.lpad(ordinal::text, greatest(3, pg_catalog.length(ordinal::text)), '0') || '::'
         || pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(chunk_text, 'UTF8')), 'hex'), 8);
comment on function memento._chunk_name(text, int, text) is 'internal: the name of a chunk of an artifact';

create table memento.artifact_revision (
  project_id uuid not null,
  artifact_uid text not null,
  revision_id text not null,
  artifact_id text not null,
  version_id uuid not null,
  ingested_at timestamptz not null default pg_catalog.clock_timestamp(),
  artifact_type text not null,
  source_ts timestamptz,
  token_count int not null,
  is_chunked boolean not null,
  primary key (project_id, artifact_uid, revision_id),
  constraint artifact_revision_artifact_id_key unique (project_id, artifact_id),
  constraint artifact_revision_version_id_fkey foreign key (project_id, version_id) references memento.version on delete cascade,
  constraint artifact_revision_artifact_type_known check (artifact_type in ('email', 'doc', 'chat', 'transcript', 'note')),
  constraint artifact_revision_artifact_id_derived check (artifact_id = memento._artifact_id(artifact_uid, revision_id))
);
comment on table memento.artifact_revision is 'A content that an artifact has or had: once, however often it came back. Written by artifact_ingest().';
comment on column memento.artifact_revision.project_id is 'The project.';
comment on column memento.artifact_revision.artifact_uid is 'The artifact: artifact_uid of its item.';
comment on column memento.artifact_revision.revision_id is 'The revision: rev_ and 16 hexadecimal digits of the SHA-256 of the content.';
comment on column memento.artifact_revision.artifact_id is 'Both in one: art_ and 16 hexadecimal digits of the SHA-256 of artifact_uid:revision_id.';
comment on column memento.artifact_revision.version_id is 'The first version with this content.';
comment on column memento.artifact_revision.ingested_at is 'When it was first ingested.';
comment on column memento.artifact_revision.artifact_type is 'email, doc, chat, transcript or note.';
comment on column memento.artifact_revision.source_ts is 'The time that its source gives for it.';
comment on column memento.artifact_revision.token_count is 'The tokens of the content, in the vocabulary cl100k_base.';
comment on column memento.artifact_revision.is_chunked is 'Whether it is named by its chunks, being longer than 1,200 tokens.';
create index artifact_revision_version_id_idx on memento.artifact_revision (project_id, version_id);
