-- What is remembered: an item has a stable identity, its versions never change.

create table memento.item (
  project_id uuid not null references memento.project,
  item_id uuid not null default pg_catalog.gen_random_uuid(),
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  kind text not null default 'note',
  title text,
  tags text[] not null default '{}',
  source_system text,
  source_id text,
  metadata jsonb not null default '{}',
  primary key (project_id, item_id),
  constraint item_source_both check ((source_system is null) = (source_id is null)),
  constraint item_kind_form check (kind ~ '\S'),
  constraint item_metadata_object check (pg_catalog.jsonb_typeof(metadata) = 'object')
);
comment on table memento.item is 'Something remembered. Its content is in its versions.';
comment on column memento.item.project_id is 'The project.';
comment on column memento.item.item_id is 'Key of the item in its project.';
comment on column memento.item.created_at is 'When it was first remembered.';
comment on column memento.item.kind is 'What it is: note, decision, runbook ... free to choose.';
comment on column memento.item.title is 'A title for people.';
comment on column memento.item.tags is 'Words to filter by.';
comment on column memento.item.source_system is 'Where it comes from, for example a wiki. With source_id unique in the project.';
comment on column memento.item.source_id is 'Its key there.';
comment on column memento.item.metadata is 'Anything else, as a JSON object.';
create unique index item_source_key on memento.item (project_id, source_system, source_id) where source_id is not null;

create table memento.version (
  project_id uuid not null,
  version_id uuid not null default pg_catalog.gen_random_uuid(),
  item_id uuid not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  superseded_at timestamptz,
  version_num int not null,
  is_latest boolean not null default true,
  content_hash bytea not null,
  content text not null,
  primary key (project_id, version_id),
  constraint version_item_id_fkey foreign key (project_id, item_id) references memento.item on delete cascade,
  constraint version_item_id_version_num_key unique (project_id, item_id, version_num),
  constraint version_num_positive check (version_num > 0),
  constraint version_latest_is_live check (is_latest = (superseded_at is null))
);
comment on table memento.version is 'The content of an item at a time.';
comment on column memento.version.project_id is 'The project.';
comment on column memento.version.version_id is 'Key of the version in its project.';
comment on column memento.version.item_id is 'The item.';
comment on column memento.version.created_at is 'When it became the latest.';
comment on column memento.version.superseded_at is 'When the next version took its place; null for the latest.';
comment on column memento.version.version_num is '1 for the first version of the item, 2 for the next ...';
comment on column memento.version.is_latest is 'True for exactly one version of each item.';
comment on column memento.version.content_hash is 'SHA-256 of the content in UTF-8.';
comment on column memento.version.content is 'The text.';
create unique index version_latest_key on memento.version (project_id, item_id) where is_latest;
