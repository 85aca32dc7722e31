-- After wanted_items.sql: $17 words, $18 limit, $19 as_of. The planner can tell rare words from frequent ones.
select c.chunk_id, pg_catalog.ts_rank(c.tsv, $17::text::tsquery, 1)::float8 as score
  from memento.chunk c
  join memento.version v on v.project_id = $1 and v.version_id = c.version_id
  join wanted i on i.item_id = v.item_id
 where c.project_id = $1 and c.tsv @@ $17::text::tsquery
   and case when $19::timestamptz is null then v.is_latest
            else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
 order by score desc, c.chunk_id
 limit $18
