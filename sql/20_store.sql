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
  scope text not null default 'project',
  doc_class text,
  canonical_key text,
  sensitivity text not null default 'normal',
  visibility text not null default 'me',
  retention text not null default 'forever',
  pinned boolean not null default false,
  archived_at timestamptz,
  -- Before the first ANALYZE the planner takes a null for a rarity, and a boolean for an even chance.
  archived boolean not null generated always as (archived_at is not null) stored,
  metadata jsonb not null default '{}',
  artifact_uid text not null default 'uid_' || pg_catalog.left(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 16),
  source_url text,
  author text,
  participants text[] not null default '{}',
  resolved_at timestamptz,
  keep_for interval,
  expires_at timestamptz,
  primary key (project_id, item_id),
  constraint item_artifact_uid_key unique (project_id, artifact_uid),
  constraint item_source_id_has_system check (source_id is null or source_system is not null),
  constraint item_artifact_uid_form check (artifact_uid ~ '^uid_[0-9a-f]{16}$'),
  constraint item_kind_form check (kind ~ '\S'),
  constraint item_scope_known check (scope in ('project', 'feature', 'session', 'task')),
  constraint item_sensitivity_known check (sensitivity in ('normal', 'sensitive', 'highly_sensitive')),
  constraint item_visibility_known check (visibility in ('me', 'team', 'org', 'custom')),
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
comment on column memento.item.scope is 'What it is about: project, feature, session or task.';
comment on column memento.item.doc_class is 'What kind of document it is, for example app_spec; free to choose.';
comment on column memento.item.canonical_key is 'Name under which it is the one true document of the project; unique in the project.';
comment on column memento.item.sensitivity is 'normal, sensitive or highly_sensitive.';
comment on column memento.item.visibility is 'Whom it is meant for: me, team, org or custom. What a role can see is decided by membership alone.';
comment on column memento.item.retention is 'How long it is to be kept: forever, until_resolved, custom, or a time such as 90d, 6m or 1y.';
comment on column memento.item.pinned is 'Whether it is to be preferred in searches.';
comment on column memento.item.archived_at is 'Since when it is left out of searches; null for an active item. Its content is kept.';
comment on column memento.item.archived is 'Whether it is archived.';
comment on column memento.item.metadata is 'Anything else, as a JSON object.';
comment on column memento.item.artifact_uid is 'Another key of the item in its project, which clients can derive: uid_ and 16 hexadecimal digits of the SHA-256 of source_system:source_id; random without a source_id.';
comment on column memento.item.source_url is 'Where people can read it at its source.';
comment on column memento.item.author is 'Who wrote it, as its source says.';
comment on column memento.item.participants is 'Who took part, as its source says. forget(subject => ...) looks here and at the author.';
comment on column memento.item.resolved_at is 'When it was said to be resolved; see memory_resolve().';
comment on column memento.item.keep_for is 'The time that retention gives; null if it gives none.';
comment on column memento.item.expires_at is 'When retention is over: keep_for after the newest version, or resolved_at. Null if it never is.';
-- Lists are read newest first, page by page.
create index item_created_at_idx on memento.item (project_id, created_at desc, item_id desc);
-- The same of one kind; whether they are archived is in it so that they can be counted without reading them.
create index item_kind_idx on memento.item (project_id, kind, created_at desc, item_id desc) include (archived);
-- Without it a search for a rare tag reads every item of its project: 100,000 of them in 190 ms, ten by this in 0.3.
create index item_tags_idx on memento.item using gin (tags);
create unique index item_canonical_key on memento.item (project_id, canonical_key) where canonical_key is not null;
create unique index item_source_key on memento.item (project_id, source_system, source_id) where source_id is not null;

-- What retention has come to the end of; see retention_due().
create index item_expires_at_idx on memento.item (expires_at) where expires_at is not null;

create table memento.version (
  project_id uuid not null,
  version_id uuid not null default pg_catalog.gen_random_uuid(),
  item_id uuid not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  superseded_at timestamptz,
  version_num int not null,
  is_latest boolean not null default true,
  commit_id uuid not null,
  content_hash bytea not null,
  content text not null,
  primary key (project_id, version_id),
  constraint version_item_id_fkey foreign key (project_id, item_id) references memento.item on delete cascade,
  constraint version_commit_id_fkey foreign key (project_id, commit_id) references memento.commit,
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
comment on column memento.version.commit_id is 'The commit that wrote it.';
comment on column memento.version.content_hash is 'SHA-256 of the content in UTF-8.';
comment on column memento.version.content is 'The text.';
create index version_commit_id_idx on memento.version (project_id, commit_id);
create unique index version_latest_key on memento.version (project_id, item_id) where is_latest;

-- What a version says can never be changed, by anyone: also not by the owner, a superuser or a replication role, unless the
-- maintenance setting is on. Only its being the latest may end.
create function memento._keep_version() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if (new.project_id, new.version_id, new.item_id, new.created_at, new.version_num, new.commit_id, new.content_hash,
      new.content)
     is distinct from
     (old.project_id, old.version_id, old.item_id, old.created_at, old.version_num, old.commit_id, old.content_hash,
      old.content)
     and pg_catalog.current_setting('memento.maintenance', true) is distinct from 'on' then
    raise exception 'a version cannot be changed'
      using errcode = 'object_not_in_prerequisite_state', detail = 'code=VERSION_IMMUTABLE',
            hint = 'store the new content as the next version with memento.remember(), or erase the item with memento.forget()';
  end if;
  return new;
end
$$;
comment on function memento._keep_version() is 'internal: keeps versions as they are';
create trigger version_update_keep before update on memento.version
  for each row execute function memento._keep_version();
alter table memento.version enable always trigger version_update_keep;

create function memento._check_version_hash() returns trigger
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  if new.content_hash <> pg_catalog.sha256(pg_catalog.convert_to(new.content, 'UTF8')) then
    raise exception 'content_hash is not that of the content'
      using errcode = 'check_violation', detail = 'code=VERSION_HASH', hint = 'leave versions to memento.remember()';
  end if;
  return new;
end
$$;
comment on function memento._check_version_hash() is 'internal: checks the hash of a version';
create trigger version_insert_check_hash before insert on memento.version
  for each row execute function memento._check_version_hash();

create table memento.link (
  project_id uuid not null,
  from_item_id uuid not null,
  to_item_id uuid not null,
  relation text not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  created_by name not null,
  metadata jsonb not null default '{}',
  primary key (project_id, from_item_id, to_item_id, relation),
  constraint link_from_item_id_fkey foreign key (project_id, from_item_id) references memento.item on delete cascade,
  constraint link_to_item_id_fkey foreign key (project_id, to_item_id) references memento.item on delete cascade,
  constraint link_not_to_itself check (from_item_id <> to_item_id),
  constraint link_relation_form check (relation ~ '\S' and pg_catalog.char_length(relation) <= 100),
  constraint link_metadata_object check (pg_catalog.jsonb_typeof(metadata) = 'object')
);
comment on table memento.link is 'That one item has to do with another.';
comment on column memento.link.project_id is 'The project of both.';
comment on column memento.link.from_item_id is 'The item that it is said of.';
comment on column memento.link.to_item_id is 'The other.';
comment on column memento.link.relation is 'In which way, for example supersedes, blocked_by, derived_from; free to choose.';
comment on column memento.link.created_at is 'When it was said.';
comment on column memento.link.created_by is 'By which role.';
comment on column memento.link.metadata is 'Anything else, as a JSON object.';
create index link_to_item_id_idx on memento.link (project_id, to_item_id);

create table memento.erasure (
  project_id uuid not null references memento.project on delete cascade,
  erasure_id uuid not null default pg_catalog.gen_random_uuid(),
  erased_at timestamptz not null default pg_catalog.clock_timestamp(),
  erased_by name not null,
  item_ids uuid[] not null,
  version_ids uuid[] not null,
  commit_ids uuid[] not null,
  conversation_ids text[] not null default '{}',
  last_event_num bigint,
  counts jsonb not null,
  reason text not null,
  constraint erasure_reason_known check (reason in ('forget', 'retention')),
  primary key (project_id, erasure_id)
);
comment on table memento.erasure is 'What forget() has erased: keys and counts, no content. It is what verify_forgotten() looks for.';
comment on column memento.erasure.project_id is 'The project.';
comment on column memento.erasure.erasure_id is 'Key of the receipt in its project.';
comment on column memento.erasure.erased_at is 'When.';
comment on column memento.erasure.erased_by is 'By which role.';
comment on column memento.erasure.item_ids is 'The items that were erased.';
comment on column memento.erasure.version_ids is 'Their versions.';
comment on column memento.erasure.commit_ids is 'The commits that wrote them, which have lost their messages.';
comment on column memento.erasure.conversation_ids is 'Conversations whose turns were erased, as SHA-256 of their names.';
comment on column memento.erasure.last_event_num is 'Where the whole project was erased: sequence_num of the last event that was recorded before. Else null.';
comment on column memento.erasure.reason is 'forget if somebody asked for it, retention if the time was over.';
comment on column memento.erasure.counts is 'How many rows of which table were erased.';
