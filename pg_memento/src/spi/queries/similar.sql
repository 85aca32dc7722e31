, title as materialized (
  -- After wanted_items.sql: $19 query, $20 limit, $21 as_of, $22 how many titles are compared, $23 in how many chunks tokens are
  select i.item_id, {trgm}.word_similarity($19::text, i.title)::float8 as score
    from (select i.item_id, i.title from wanted i
           where i.title is not null
           order by i.created_at desc, i.item_id desc
           limit $22::bigint) i
),
live as materialized (
  select c.chunk_id, c.tech_tokens
    from wanted i
    join memento.version v on v.project_id = $1 and v.item_id = i.item_id
    join wanted_chunk c on c.version_id = v.version_id
   where case when $21::timestamptz is null then v.is_latest
              else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
   order by i.created_at desc, i.item_id desc, c.chunk_id desc
   limit $23::bigint
),
compared as (
  -- A title stands for the first chunk below it.
  select c.chunk_id, t.score
    from title t
    join memento.version v on v.project_id = $1 and v.item_id = t.item_id
    join wanted_chunk c on c.version_id = v.version_id
   where t.score >= 0.45 and c.ordinal = 0
     and case when $21 is null then v.is_latest
              else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
  union all
  select l.chunk_id, {trgm}.similarity(w.word, t.token)::float8
    from live l
   cross join lateral pg_catalog.unnest(l.tech_tokens) t(token)
   cross join pg_catalog.regexp_split_to_table(pg_catalog.lower($19), '\s+') w(word)
   where pg_catalog.char_length(w.word) >= 4
)
select m.chunk_id, max(m.score) as score
  from compared m
 where m.score >= 0.45
 group by m.chunk_id
 order by score desc, m.chunk_id
 limit $20::int
