-- $1 project, $2 item, $3 version number, $4 as_of; the latest version if both are null
select pg_catalog.jsonb_build_object(
         'item_id', i.item_id, 'title', i.title, 'kind', i.kind, 'tags', i.tags, 'pinned', i.pinned, 'scope', i.scope,
         'doc_class', i.doc_class, 'canonical_key', i.canonical_key, 'sensitivity', i.sensitivity, 'visibility', i.visibility,
         'retention', i.retention,
         'status', case when i.archived_at is null then 'active' else 'archived' end,
         'source_system', i.source_system, 'source_id', i.source_id, 'source_url', i.source_url, 'author', i.author,
         'participants', i.participants, 'artifact_uid', i.artifact_uid, 'resolved_at', i.resolved_at, 'expires_at', i.expires_at,
         'metadata', i.metadata, 'created_at', i.created_at,
         'version_id', v.version_id, 'version_num', v.version_num, 'is_latest', v.is_latest,
         'version_created_at', v.created_at, 'superseded_at', v.superseded_at,
         'content_hash', pg_catalog.encode(v.content_hash, 'hex'), 'content', v.content)
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id
 where i.project_id = $1 and i.item_id = $2
   and case when $3::int is not null then v.version_num = $3
            when $4::timestamptz is not null then v.created_at <= $4 and (v.superseded_at is null or v.superseded_at > $4)
            else v.is_latest end
