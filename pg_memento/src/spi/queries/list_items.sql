-- After wanted_items.sql: $19 how many, $20 and $21 the item after which to go on: its creation and its key
select i.item_id, (extract(epoch from i.created_at) * 1000000)::bigint,
       pg_catalog.jsonb_build_object(
         'item_id', i.item_id, 'title', i.title, 'kind', i.kind, 'tags', i.tags, 'pinned', i.pinned, 'scope', i.scope,
         'doc_class', i.doc_class, 'canonical_key', i.canonical_key, 'sensitivity', i.sensitivity, 'visibility', i.visibility,
         'retention', i.retention, 'status', case when i.archived then 'archived' else 'active' end,
         'source_system', i.source_system, 'source_id', i.source_id, 'created_at', i.created_at,
         'version_num', v.version_num, 'updated_at', v.created_at, 'characters', pg_catalog.char_length(v.content))
  from wanted i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
 where ($20::bigint is null
        or (i.created_at, i.item_id) < ('epoch'::timestamptz + $20 * interval '1 microsecond', $21::uuid))
   and ($17 is null and $18 is null
        or exists (select from memento.version l join wanted_chunk c on c.version_id = l.version_id
                    where l.project_id = $1 and l.item_id = i.item_id and l.is_latest))
 order by i.created_at desc, i.item_id desc
 limit $19::int
