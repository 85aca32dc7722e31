, matched as materialized (
  -- After wanted_items.sql and candidate, the chunks to look at: $19 tokens, $20 limit, $21 as_of. With all tokens that they have,
  -- also with those that too many have.
  select c.chunk_id, t.token
    from candidate d
    join wanted_chunk c on c.chunk_id = d.chunk_id
    join memento.version v on v.project_id = $1 and v.version_id = c.version_id
    join wanted i on i.item_id = v.item_id
   cross join lateral pg_catalog.unnest(c.tech_tokens) t(token)
   where t.token = any ($19)
     and case when $21::timestamptz is null then v.is_latest
              else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
),
frequency as (
  select m.token, greatest(count(*), (select max(f.at_least) from frequent f where f.token = m.token)) as chunks
    from matched m group by m.token
),
scored as materialized (
  -- As in BM25: a token that fewer chunks have counts more. Summed in one order, because sums of floats depend on it.
  select m.chunk_id, pg_catalog.array_agg(m.token order by m.token collate "C") as tokens,
         sum(pg_catalog.ln(1 + (select count(distinct o.chunk_id) from matched o)::float8 / f.chunks) order by m.token collate "C") as score
    from matched m join frequency f using (token)
   group by m.chunk_id
),
placed as materialized (
  select s.*, pg_catalog.row_number() over (order by s.score desc, s.chunk_id) as place from scored s
)
select p.chunk_id, p.score, p.tokens, n.too_many
  from (select exists (select from too_many) as too_many) n
  left join placed p
    on p.place <= $20
       or p.place in (select min(b.place) from placed b cross join lateral pg_catalog.unnest(b.tokens) t(token) group by t.token)
 order by p.place
