-- $1 role, $2 tool; in how many seconds to try again, if at all
with applicable as materialized (
  select distinct on (l.tool_name) l.tool_name, l.max_calls, l.per
    from memento.rate_limit l
   where l.role_name in ($1::text, '*') and l.tool_name in ($2::text, '*')
   order by l.tool_name, l.role_name = '*'
), counted as materialized (
  select a.*, c.calls, c.oldest
    from applicable a
   cross join lateral (
           select pg_catalog.count(*) as calls, pg_catalog.min(c.called_at) as oldest
             from memento.rate_call c
            where c.role_name = $1 and c.tool_name = a.tool_name and c.called_at > pg_catalog.clock_timestamp() - a.per) c
), refused as (
  select pg_catalog.max(pg_catalog.ceil(extract(epoch from coalesce(c.oldest - pg_catalog.clock_timestamp(), '0') + c.per)))::int as seconds
    from counted c
   where c.calls >= c.max_calls
), noted as (
  insert into memento.rate_call (role_name, tool_name)
  select $1, c.tool_name from counted c, refused r where r.seconds is null
), swept as (
  delete from memento.rate_call c
   using applicable a
   cross join lateral (
           select o.ctid
             from memento.rate_call o
            where o.role_name = $1 and o.tool_name = a.tool_name and o.called_at <= pg_catalog.clock_timestamp() - a.per
            order by o.called_at
            limit 100
              for update skip locked) old
   where c.ctid = old.ctid
)
select r.seconds from refused r
