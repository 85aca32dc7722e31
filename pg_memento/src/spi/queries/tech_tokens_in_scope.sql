, in_scope as materialized (
  -- After wanted_items.sql: $19 tokens, $21 as_of, $22 how many chunks are too many to look into
  select c.chunk_id, c.tech_tokens && $19::text[] as has_token
    from wanted i
    join memento.version v on v.project_id = $1 and v.item_id = i.item_id
    join wanted_chunk c on c.version_id = v.version_id
   where case when $21::timestamptz is null then v.is_latest
              else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
   limit $22::bigint
),
too_many as materialized (
  select from in_scope having count(*) >= $22
),
candidate as (
  select s.chunk_id from in_scope s where s.has_token and not exists (select from too_many)
),
frequent as (
  select null::text as token, null::bigint as at_least where false
)
