, read as materialized (
  -- After wanted_items.sql: $19 tokens, $21 as_of, $22 how many chunks that have one of them are too many, $23 how many are read at most
  select c.chunk_id, c.version_id
    from memento.chunk c
   where c.project_id = $1 and c.tech_tokens && $19::text[]
   limit $23::bigint
),
looked as materialized (
  -- Those of former versions and of items that are not wanted do not make a token frequent. Each by its keys: of those that are read a
  -- limit may take a part only.
  select r.chunk_id
    from read r
   cross join lateral (
     select v.item_id from memento.version v
      where v.project_id = $1 and v.version_id = r.version_id
        and case when $21::timestamptz is null then v.is_latest
                 else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
     offset 0) v
   cross join lateral (select from wanted i where i.item_id = v.item_id offset 0) i
   limit $22::bigint
),
too_many as materialized (
  select where exists (select from looked offset $22 - 1) or exists (select from read offset $23 - 1)
),
candidate as (
  select l.chunk_id from looked l where not exists (select from too_many)
),
frequent as (
  select null::text as token, null::bigint as at_least where false
)
