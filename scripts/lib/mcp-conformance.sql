-- What the conformance suite wants to call, as functions of the database, where memento-mcp has all of its tools from. It knows no
-- more of these than of any other.
create function memento.test_simple_text() returns text
  language sql immutable parallel safe
  return 'This is a simple text response for testing.';
comment on function memento.test_simple_text() is 'A text.';

create function memento.test_error_handling() returns text
  language plpgsql volatile
as $$
begin
  raise exception 'This tool intentionally returns an error for testing';
end
$$;
comment on function memento.test_error_handling() is 'An error.';

-- It says that it is still running once a second, and is to say so three times.
create function memento.test_tool_with_progress() returns text
  language plpgsql volatile
as $$
begin
  perform pg_sleep(3.5);
  return 'done';
end
$$;
comment on function memento.test_tool_with_progress() is 'Something that takes its time.';

-- What the suite looks at is how the answer comes: with an event to begin with, and when to come back.
create function memento.test_reconnection() returns text
  language sql immutable parallel safe
  return 'done';
comment on function memento.test_reconnection() is 'Something to wait for.';

do $$
begin
  execute format($view$
    create or replace view memento.mcp_tool with (security_invoker = true) as
    %s
    union all
    select p.proname::text collate "default", p.oid::regprocedure, '{all}'::text[], 'read', true, obj_description(p.oid, 'pg_proc'), null
      from pg_proc p where p.pronamespace = 'memento'::regnamespace and p.proname ~ '^test_'
    $view$, rtrim(pg_get_viewdef('memento.mcp_tool'), '; '));
end
$$;
