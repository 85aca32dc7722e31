-- Artifacts, conversations and short memories, and the work that is done later.
comment on function memento.artifact_ingest(text, text, text, text, text, text, text, text[], timestamptz, text, text, text) is
  'Ingests a document of another system. The same source_system and source_id again: a content that it has or had gives its revision again, with the status unchanged, and nothing is asked for (one that it had becomes the latest again); another content is a new revision, with a job that looks for events in it. Returns artifact_id, artifact_uid, revision_id, is_chunked, num_chunks, stored_ids, job_id, job_status, status, item_id, version_id, version_num. Needs write access.';
comment on function memento.artifact_get(text, boolean, boolean, text) is
  'An artifact of the current project, by artifact_id (that revision), by artifact_uid or the id of its item (the latest, or that of revision_id): its names and metadata, with content and chunks if asked for. Needs read access.';
comment on function memento.artifact_delete(text) is
  'Erases an artifact with all its revisions, as forget() does. Needs write access.';
comment on function memento.history_append(text, text, text, int, jsonb) is
  'Adds a turn to a conversation of the current project: the next one, or that of an index. The same turn at the same index again changes nothing, another one is refused. Returns conversation_id, turn_index and status. Needs write access.';
comment on function memento.history_get(text, int, int) is
  'The last turns of a conversation, oldest first, or the last before a turn. next_before is where the page before begins, null on the first. Needs read access.';
comment on function memento._ingest_version(uuid, uuid) is
  'worker: makes the chunks of a version anew, asks for their vectors, and returns how many chunks there are; 0 if the version is gone';
comment on function memento.admin_reingest_version(uuid) is
  'Asks for a job that makes the chunks of a version of the current project anew. Returns version_id, job_id and job_status. Needs admin access.';
comment on function memento.memory_audit(int, int) is
  'A report on the quality of the current project''s memories: duplicates, near_duplicates, oversized, unchunked, unembedded, orphaned, and secrets in contents, each with a count and at most max_findings findings. Contents are read of the newest max_items items. Needs read access.';

create function memento.memory_store(content text, type text default 'fact', confidence float8 default 1, title text default null,
                                     tags text[] default '{}', metadata jsonb default '{}')
  returns jsonb
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  stored jsonb;
begin
  if confidence is null or not confidence between 0 and 1 then
    raise exception 'confidence must be between 0 and 1'
      using errcode = 'invalid_parameter_value', detail = 'code=VALIDATION_ERROR', hint = 'for example: confidence => 0.8';
  end if;
  if jsonb_typeof(metadata) is distinct from 'object' then
    raise exception 'metadata must be a JSON object'
      using errcode = 'invalid_parameter_value', detail = 'code=VALIDATION_ERROR', hint = 'leave metadata out to have none';
  end if;
  stored := memento.remember(content, title => title, kind => type, tags => tags,
                             metadata => metadata || jsonb_build_object('confidence', confidence));
  return jsonb_build_object('memory_id', stored -> 'item_id', 'type', type, 'confidence', confidence) || stored;
end
$$;
comment on function memento.memory_store(text, text, float8, text, text[], jsonb) is
  'Stores a short memory, such as a fact or a preference, with how sure one is of it. Returns memory_id, type and confidence with what remember() returns. Needs write access.';

create function memento.memory_delete(memory_id uuid) returns jsonb
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  return jsonb_build_object('memory_id', memory_id, 'deleted', true) || memento.forget(item_id => memory_id);
end
$$;
comment on function memento.memory_delete(uuid) is
  'Erases a memory, as forget() does. Returns memory_id and deleted with the receipt. Needs write access.';
