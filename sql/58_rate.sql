-- How often a role may call a tool. There is no limit until somebody sets one.
create table memento.rate_limit (
  role_name text not null,
  tool_name text not null check (tool_name <> ''),
  max_calls int not null check (max_calls >= 0),
  per interval not null check (per between interval '1 second' and interval '1 day'),
  primary key (role_name, tool_name)
);
comment on table memento.rate_limit is 'How often roles may call tools of MCP. Set by set_rate_limit().';
comment on column memento.rate_limit.role_name is 'The role; * for each role that has no limit of its own.';
comment on column memento.rate_limit.tool_name is 'The tool, dots as underscores; * for all tools together.';
comment on column memento.rate_limit.max_calls is 'How many calls.';
comment on column memento.rate_limit.per is 'In which time, which goes on with the clock.';

-- A row for each call, not a counter: calls of a role at the same time do not wait for each other. Old ones are swept by later calls.
create table memento.rate_call (
  role_name text not null,
  tool_name text not null,
  called_at timestamptz not null default clock_timestamp()
);
create index rate_call_role_name_tool_name_called_at_idx on memento.rate_call (role_name, tool_name, called_at);
comment on table memento.rate_call is 'The calls that count against a limit.';
comment on column memento.rate_call.role_name is 'Who called.';
comment on column memento.rate_call.tool_name is 'The tool, or * for a limit on all of them.';
comment on column memento.rate_call.called_at is 'When.';

alter table memento.rate_limit enable row level security, force row level security;
create policy rate_limit_read on memento.rate_limit for select using (role_name in ('*', current_user));
comment on policy rate_limit_read on memento.rate_limit is 'The limits of the role, and those for all.';
alter table memento.rate_call enable row level security, force row level security;
create policy rate_call_read on memento.rate_call for select using (role_name = current_user);
comment on policy rate_call_read on memento.rate_call is 'The calls of the role.';
