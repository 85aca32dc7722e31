, looked as materialized (
  -- After wanted_items.sql: $19 tokens, $22 how many chunks of each token are looked at. They come in the order in which they are stored,
  -- so they are the same each time.
  -- Of each up to $23 are read: those of former versions ($21 as_of) and of items that are not wanted do not count.
  select t.token, c.chunk_id
    from pg_catalog.unnest($19::text[]) t(token)
   cross join lateral (
     select r.chunk_id
       from (select c.chunk_id, c.version_id
               from memento.chunk c
              where c.project_id = $1 and c.tech_tokens @> array[t.token]
              limit $23::bigint) r
      cross join lateral (
        select v.item_id from memento.version v
         where v.project_id = $1 and v.version_id = r.version_id
           and case when $21::timestamptz is null then v.is_latest
                    else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
        offset 0) v
      cross join lateral (select from wanted i where i.item_id = v.item_id offset 0) i
      limit $22::bigint) c
),
of_token as materialized (
  -- The rarest first.
  select l.token, count(*) as chunks, sum(count(*)) over (order by count(*), l.token collate "C") as so_far
    from looked l
   group by l.token
),
frequent as (
  -- What most chunks have tells none apart: it counts where a rarer one is, and of those that have it alone only some of the first
  -- and of the newest are looked at.
  select o.token, o.chunks as at_least from of_token o where o.chunks >= $22 or o.so_far > 2 * $22
),
candidate as materialized (
  select l.chunk_id from looked l where l.token not in (select f.token from frequent f)
  union
  select s.chunk_id
    from frequent f
   cross join lateral (select l.chunk_id from looked l where l.token = f.token order by l.chunk_id limit 100) s
  union
  select n.chunk_id
    from (select c.chunk_id, c.tech_tokens from memento.chunk c
           where c.project_id = $1 and exists (select from frequent)
           order by c.project_id desc, c.chunk_id desc
           limit 2 * $22) n
   where n.tech_tokens && array(select f.token from frequent f)
),
too_many as (
  select where false
)
