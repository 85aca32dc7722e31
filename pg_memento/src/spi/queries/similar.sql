, live as (
  -- After wanted_items.sql: $17 query, $18 limit, $19 as_of
  select i.title, c.chunk_id, c.ordinal, c.tech_tokens
    from wanted i
    join memento.version v on v.project_id = $1 and v.item_id = i.item_id
    join memento.chunk c on c.project_id = $1 and c.version_id = v.version_id
   where case when $19::timestamptz is null then v.is_latest
              else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
),
compared as (
  -- A title stands for the first chunk below it.
  select l.chunk_id, {trgm}.word_similarity($17::text, l.title)::float8 as score
    from live l
   where l.ordinal = 0 and l.title is not null
  union all
  select l.chunk_id, {trgm}.similarity(w.word, t.token)::float8
    from live l
   cross join lateral pg_catalog.unnest(l.tech_tokens) t(token)
   cross join pg_catalog.regexp_split_to_table(pg_catalog.lower($17), '\s+') w(word)
   where pg_catalog.char_length(w.word) >= 4
)
select m.chunk_id, max(m.score) as score
  from compared m
 where m.score >= 0.45
 group by m.chunk_id
 order by score desc, m.chunk_id
 limit $18::int
