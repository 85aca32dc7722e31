comment on function memento.set_rate_limit(text, int, interval, text) is
  'Limits how often a tool of MCP may be called: max_calls in a time, for a role, or for each role that has no limit of its own. tool * is all tools together; max_calls null ends the limit. For superusers.';
comment on function memento.mcp_admit(text) is
  'Counts a call of a tool against the limits of the role, and refuses it if that is too often. mcp_call() begins with it.';
