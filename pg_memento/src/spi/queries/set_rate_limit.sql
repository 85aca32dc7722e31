-- $1 role, $2 tool, $3 calls or null for no limit, $4 time
with gone as (
  delete from memento.rate_limit l where l.role_name = $1::text and l.tool_name = $2::text and $3::int is null
)
insert into memento.rate_limit (role_name, tool_name, max_calls, per)
select $1, $2, $3, $4::interval where $3 is not null
on conflict (role_name, tool_name) do update set max_calls = excluded.max_calls, per = excluded.per
