-- $1 project, $2 how many, $3 and $4 the item after which to go on: its creation and its key; then the filter as in
-- search_full_text.sql, and $19 whether archived items are wanted
select i.item_id, (extract(epoch from i.created_at) * 1000000)::bigint,
       pg_catalog.jsonb_build_object(
         'item_id', i.item_id, 'title', i.title, 'kind', i.kind, 'tags', i.tags, 'pinned', i.pinned, 'scope', i.scope,
         'doc_class', i.doc_class, 'canonical_key', i.canonical_key, 'sensitivity', i.sensitivity, 'visibility', i.visibility,
         'retention', i.retention, 'status', case when i.archived then 'archived' else 'active' end,
         'source_system', i.source_system, 'source_id', i.source_id, 'created_at', i.created_at,
         'version_num', v.version_num, 'updated_at', v.created_at, 'characters', pg_catalog.char_length(v.content))
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
 where i.project_id = $1
   and ($3::bigint is null
        or (i.created_at, i.item_id) < ('epoch'::timestamptz + $3 * interval '1 microsecond', $4::uuid))
   and ($19::boolean or not i.archived)
   and ($5::text[] is null or i.kind = any ($5))
   and ($6::text[] is null or i.scope = any ($6))
   and ($7::text[] is null or i.doc_class = any ($7))
   and ($8::text[] is null or i.tags && $8)
   and ($9::text[] is null or i.tags @> $9)
   and ($10::text[] is null or i.sensitivity = any ($10))
   and ($11::text[] is null or i.visibility = any ($11))
   and ($12::text[] is null or i.source_system = any ($12))
   and ($13::uuid[] is null or i.item_id = any ($13))
   and ($14::uuid[] is null or i.item_id <> all ($14))
   and (not $15::boolean or i.pinned)
   and (not $16::boolean or i.canonical_key is not null)
   and ($17::bigint is null or i.created_at >= 'epoch'::timestamptz + $17 * interval '1 microsecond')
   and ($18::bigint is null or i.created_at < 'epoch'::timestamptz + $18 * interval '1 microsecond')
 order by i.created_at desc, i.item_id desc
 limit $2::int
