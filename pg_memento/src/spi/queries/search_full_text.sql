, matched as (
  -- After wanted_items.sql: $17 words, $18 limit, $19 as_of. The planner can tell rare words from frequent ones.
  select c.chunk_id, c.version_id, c.heading_path, c.section_anchor, c.start_char, c.end_char, c.chunk_text,
         pg_catalog.ts_rank(c.tsv, $17::text::tsquery, 1)::float8 as score
    from memento.chunk c
   where c.project_id = $1 and c.tsv @@ $17::text::tsquery
),
ranked as (
  select m.*, v.version_num, v.item_id, i.title, i.kind,
         pg_catalog.row_number() over (order by m.score desc, m.chunk_id) as rank
    from matched m
    join memento.version v on v.project_id = $1 and v.version_id = m.version_id
    join wanted i on i.item_id = v.item_id
   where case when $19::timestamptz is null then v.is_latest
              else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
)
select r.chunk_id, r.item_id, r.version_num, r.title, r.kind, r.heading_path, r.section_anchor, r.start_char, r.end_char, r.chunk_text,
       r.score, pg_catalog.jsonb_build_object('fts', pg_catalog.jsonb_build_object('rank', r.rank, 'score', r.score))
  from ranked r
 order by r.rank
 limit $18
