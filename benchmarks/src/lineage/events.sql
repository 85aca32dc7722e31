-- A batch of 100,000 events of sessions that run at the same time, in the order in which they happen: 900 chains of 100, 5
-- chains of 1,000, and 50 trees of 100 in which each event leads to ten. $1 is the number of the batch.
with shape as (
  select 'chain' as kind, c, p, nullif(p, 0) - 1 as parent, p * 1000 + c as moment from generate_series(0, 899) c, generate_series(0, 99) p
  union all
  select 'long', c, p, nullif(p, 0) - 1, p * 100 + c from generate_series(0, 4) c, generate_series(0, 999) p
  union all
  select 'tree', c, p, (nullif(p, 0) - 1) / 10, p * 1000 + c from generate_series(0, 49) c, generate_series(0, 99) p
),
event as materialized (
  -- Ids that grow with time, as those of emit_event() do.
  select s.*, (to_char($1::bigint * 1000000 + moment, 'FM000000000000') || '7' || substr(md5(kind || c || ' ' || p || ' ' || $1), 14, 3)
               || '8' || substr(md5(kind || c || ' ' || p || ' ' || $1), 18, 15))::uuid as event_id
    from shape s
)
insert into source
select e.kind, e.c, e.p, e.event_id, o.event_id, r.event_id,
       case e.kind when 'tree' then case when e.p = 0 then 0 when e.p <= 10 then 1 else 2 end else e.p end,
       md5(e.kind || e.c || ' ' || $1)::uuid,
       'tool_use', jsonb_build_object('tool', 'search', 'arguments', jsonb_build_object('query', 'what happened at step ' || e.p), 'ok', e.p % 7 > 0)
  from event e
  left join event o on o.kind = e.kind and o.c = e.c and o.p = e.parent
  join event r on r.kind = e.kind and r.c = e.c and r.p = 0
 order by e.moment, e.kind, e.c
