-- $1 project, $2 words, $3 limit, $4 as_of, then the filter: $5 kinds, $6 scopes, $7 doc classes, $8 tags_any, $9 tags_all,
-- $10 sensitivities, $11 visibilities, $12 source systems, $13 items, $14 items not, $15 pinned, $16 canonical, $17 created from,
-- $18 created before, in microseconds since 1970
-- All come as parameters whose values the planner knows: it can tell rare words from frequent ones, and a condition that is
-- not asked for is null, and gone before it estimates anything.
with matched as (
  select c.chunk_id, c.version_id, c.heading_path, c.section_anchor, c.start_char, c.end_char, c.chunk_text,
         pg_catalog.ts_rank(c.tsv, $2::text::tsquery, 1)::float8 as score
    from memento.chunk c
   where c.project_id = $1 and c.tsv @@ $2::text::tsquery
),
ranked as (
  select m.*, v.version_num, v.item_id, i.title, i.kind,
         pg_catalog.row_number() over (order by m.score desc, m.chunk_id) as rank
    from matched m
    join memento.version v on v.project_id = $1 and v.version_id = m.version_id
    join memento.item i on i.project_id = $1 and i.item_id = v.item_id
   where case when $4::timestamptz is null then v.is_latest
              else v.created_at <= $4 and (v.superseded_at is null or v.superseded_at > $4) end
     and not i.archived
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
)
select r.chunk_id, r.item_id, r.version_num, r.title, r.kind, r.heading_path, r.section_anchor, r.start_char, r.end_char, r.chunk_text,
       r.score, pg_catalog.jsonb_build_object('fts', pg_catalog.jsonb_build_object('rank', r.rank, 'score', r.score))
  from ranked r
 order by r.rank
 limit $3
