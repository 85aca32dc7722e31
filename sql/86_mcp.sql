create function memento.mcp_tools(toolset text default 'core')
  returns table (name text, description text, input_schema jsonb, annotations jsonb)
  language plpgsql stable parallel restricted
  set search_path = pg_catalog, pg_temp
as $$
declare
  asked text[] := string_to_array(replace(coalesce(toolset, 'core'), ' ', ''), ',');
  known text[] := '{admin,all,core,events,kb,lineage,memory,truth}';
begin
  if not asked <@ known or asked = '{}' then
    raise exception using errcode = '22023', message = format('unknown toolset "%s"', left(toolset, 80)),
      detail = 'code=VALIDATION_ERROR', hint = 'known toolsets: ' || array_to_string(known, ', ');
  end if;
  return query
    select t.tool_name, t.description,
           jsonb_strip_nulls(jsonb_build_object(
             'type', 'object', 'properties', coalesce(s.properties, '{}'), 'required', s.required,
             -- What core does not show can be given all the same.
             'additionalProperties', case when asked <> '{core}' then false end)),
           case t.effect
             when 'read' then '{"readOnlyHint": true, "openWorldHint": false}'::jsonb
             else jsonb_build_object('readOnlyHint', false, 'destructiveHint', t.effect = 'erase',
                                     'idempotentHint', t.is_idempotent, 'openWorldHint', false)
           end
      from memento.mcp_tool t
      left join lateral (
             select jsonb_object_agg(a.argument_name, a.schema) as properties,
                    jsonb_agg(a.argument_name order by a.ordinal) filter (where a.is_required) as required
               from memento.mcp_argument a
              where a.function = t.function
                and (asked <> '{core}' or t.brief is null or a.argument_name = any (t.brief))) s on true
     where t.toolsets && asked
     order by t.tool_name collate "C";
end
$$;
comment on function memento.mcp_tools(text) is
  'The tools of MCP that the role may call: name, description, the JSON Schema of the arguments, and annotations. Toolsets: core (at most ten, the default, with only the arguments that most calls need), memory, events, lineage, truth, kb, admin, all; several separated by commas.';

create function memento.mcp_check(function regprocedure, args jsonb) returns jsonb
  language plpgsql stable parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- Models write null for what they leave out.
  given jsonb := (select coalesce(jsonb_object_agg(g.key, g.value), '{}') from jsonb_each(args) g where g.value <> 'null');
  known text[] := coalesce((select p.proargnames[1 : p.pronargs] from pg_proc p where p.oid = mcp_check.function), '{}');
  problem text := (select format('unknown argument "%s"', left(g.key, 80)) from jsonb_object_keys(given) g(key) where g.key <> all (known) limit 1);
  argument record;
begin
  for argument in
    select a.argument_name as name, a.type_name, a.is_required, a.schema, a.schema ->> 'type' as type, given -> a.argument_name as value
      from memento.mcp_argument a
     where a.function = mcp_check.function and (a.is_required or given ? a.argument_name)
     order by a.ordinal
  loop
    exit when problem is not null;
    problem := format('argument "%s" ', argument.name) || case
      when argument.value is null then 'is missing'
      when argument.type = 'integer' and argument.value::text !~ '^-?[0-9]{1,18}$' then 'must be an integer'
      when argument.type <> 'integer' and jsonb_typeof(argument.value) <> argument.type then 'must be of type ' || argument.type
      when argument.type_name = 'text[]' and jsonb_path_exists(argument.value, '$[*] ? (@.type() != "string")') then 'must be an array of strings'
      when not argument.schema -> 'enum' @> argument.value
        then 'must be one of ' || (select string_agg(w, ', ') from jsonb_array_elements_text(argument.schema -> 'enum') w)
      end;
    -- The types whose text is not free: a statement asks the server about what is not plain to see.
    if problem is null and argument.type in ('integer', 'number', 'string') and not (case argument.type_name
         when 'text' then true
         when 'bigint' then true
         when 'integer' then (argument.value #>> '{}')::numeric between -2147483648 and 2147483647
         when 'uuid' then argument.value #>> '{}' ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
         else false
       end) then
      begin
        execute format('select $1::%s', argument.type_name) using left(argument.value #>> '{}', 100);
      exception when data_exception then
        problem := format('argument "%s" is not of the type %s', argument.name, argument.type_name);
      end;
    end if;
  end loop;
  if problem is not null then
    raise exception using errcode = '22023', message = problem, detail = 'code=VALIDATION_ERROR',
      hint = case when known = '{}' then 'it has no arguments' else 'its arguments: ' || array_to_string(known, ', ') end;
  end if;
  return given;
end
$$;
comment on function memento.mcp_check(regprocedure, jsonb) is
  'Checks the arguments for a function that is a tool, by name and type, and returns those that are not null. mcp_call() begins with it.';

create function memento.mcp_call(name text, args jsonb default '{}', toolset text default 'all') returns jsonb
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  called record;
  given jsonb;
  columns text;
  passed text;
  result jsonb;
begin
  select t.function, p.proname, p.proretset into called
    from memento.mcp_tool t join pg_proc p on p.oid = t.function
   where replace(t.tool_name, '.', '_') = replace(mcp_call.name, '.', '_')
     and t.toolsets && string_to_array(replace(coalesce(toolset, 'all'), ' ', ''), ',');
  if not found then
    raise exception using errcode = 'P0002', message = format('unknown tool "%s"', left(name, 80)),
      detail = 'code=TOOL_NOT_FOUND', hint = 'memento.mcp_tools(toolset) lists those that this role can call';
  elsif jsonb_typeof(args) <> 'object' then
    raise exception using errcode = '22023', message = 'the arguments of a tool must be a JSON object', detail = 'code=VALIDATION_ERROR',
      hint = 'for example: {"query": "what did we decide?"}';
  end if;
  if current_setting('transaction_read_only') = 'off' then
    perform memento.mcp_admit(name);
  end if;
  given := memento.mcp_check(called.function, coalesce(args, '{}'));
  select string_agg(format('%I %s', a.argument_name, format_type(a.type, null)), ', '), string_agg(format('%1$I => a.%1$I', a.argument_name), ', ')
    into columns, passed
    from pg_proc p, unnest(p.proargtypes::oid[], p.proargnames[1 : p.pronargs]) as a(type, argument_name)
   where p.oid = called.function and given ? a.argument_name;
  -- Names are from the catalogue; the values are bound.
  execute format('select %s from %s memento.%I(%s) as f',
                 case when called.proretset then 'coalesce(jsonb_agg(to_jsonb(f)), ''[]'')' else 'to_jsonb(f)' end,
                 case when columns is not null then format('jsonb_to_record($1) as a(%s), lateral', columns) end,
                 called.proname, passed)
    into result using given;
  return case
    when called.proretset then jsonb_build_object('rows', result)
    when jsonb_typeof(result) = 'object' then result
    else jsonb_build_object('result', result)
  end;
end
$$;
comment on function memento.mcp_call(text, jsonb, text) is
  'Calls a tool of MCP by its name, with the arguments as a JSON object, if it is in the toolset: checks them and calls the function with the rights of the caller. What the function returns is the result if it is an object; rows are under "rows", anything else under "result".';

create function memento.mcp_resource_templates()
  returns table (uri_template text, name text, description text, mime_type text)
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
begin atomic
  values ('memory://projects/{project_id}/items/{item_id}', 'item', 'The latest version of a memory.', 'text/markdown'),
         ('memory://projects/{project_id}/items/{item_id}/versions/{version_num}', 'version', 'One version of a memory.', 'text/markdown'),
         ('memory://projects/{project_id}/items/{item_id}/sections/{section_anchor}', 'section',
          'One section of the latest version, with those below it.', 'text/markdown');
end;
comment on function memento.mcp_resource_templates() is 'The kinds of URIs that mcp_read() reads.';

create function memento.mcp_resources(after text default null, max_items int default 100) returns jsonb
  language sql stable parallel restricted
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.jsonb_build_object(
           'resources', coalesce((
             select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                      'uri', pg_catalog.format('memory://projects/%s/items/%s', memento.current_project(), i.item ->> 'item_id'),
                      'name', coalesce(i.item ->> 'title', (i.item ->> 'kind') || ' ' || (i.item ->> 'item_id')),
                      'description', i.item ->> 'kind',
                      'mimeType', 'text/markdown',
                      'annotations', pg_catalog.jsonb_build_object('lastModified', i.item -> 'updated_at')) order by i.place)
               from pg_catalog.jsonb_array_elements(page.list -> 'items') with ordinality as i(item, place)), '[]'),
           'next_after', page.list -> 'next_after')
    from (select memento.memory_list('{}', max_items, after)) as page(list);
end;
comment on function memento.mcp_resources(text, int) is
  'The memories of the current project as resources of MCP, newest first: at most max_items. next_after is where the next page begins, null on the last. Needs read access.';

create function memento.mcp_read(uri text) returns jsonb
  language plpgsql stable parallel restricted
  set search_path = pg_catalog, pg_temp
as $$
declare
  part text[] := regexp_match(left(uri, 4096),
    '^memory://projects/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/items/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:/(?:versions/([1-9][0-9]{0,8})|sections/([^/?#]+)))?$');
  -- %C3%A9 and the like
  anchor text := (
    select convert_from(string_agg(case when m[1] like '%\%__' then decode(substr(m[1], 2), 'hex') else convert_to(m[1], 'UTF8') end, ''::bytea order by n), 'UTF8')
      from regexp_matches(part[4], '(%[0-9a-fA-F]{2}|.)', 'g') with ordinality as r(m, n));
  content text;
begin
  if part is null or part[1] <> memento.current_project()::text then
    raise exception using errcode = 'P0002', message = 'there is no such resource in the current project', detail = 'code=RESOURCE_NOT_FOUND',
      hint = 'memento.mcp_resources() lists resources, memento.mcp_resource_templates() their kinds';
  end if;
  content := memento.memory_get(part[2]::uuid, part[3]::int) ->> 'content';
  if anchor is not null then
    content := (
      with section as (select * from memento.outline(content)),
           start as (select s.start_char, s.level from section s where s.section_anchor = anchor),
           -- Up to the next one that is not below it.
           stop as (select min(s.start_char) as next from section s, start where s.start_char > start.start_char and s.level <= start.level)
      select substr(content, min(s.start_char) + 1, max(s.end_char) - min(s.start_char))
        from section s, start, stop
       where s.start_char >= start.start_char and (stop.next is null or s.start_char < stop.next));
  end if;
  if content is null then
    raise exception using errcode = 'P0002', message = 'the item has no such section', detail = 'code=SECTION_NOT_FOUND',
      hint = 'memento.outline(content) has the sections of a text';
  end if;
  return jsonb_build_object('contents', jsonb_build_array(jsonb_build_object('uri', uri, 'mimeType', 'text/markdown', 'text', content)));
end
$$;
comment on function memento.mcp_read(text) is
  'What a URI of MCP stands for, which must be of the current project: the latest version of an item, a version, or a section. Needs read access.';

create function memento.mcp_states(uris text[])
  returns table (uri text, state text)
  language sql stable parallel restricted
  set search_path = pg_catalog, pg_temp
begin atomic
  select u.uri, v.version_id::text
    from unnest(uris) as u(uri)
   cross join lateral pg_catalog.regexp_match(u.uri, '^memory://projects/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/items/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})') as m(part)
    left join memento.version v
      on v.project_id = m.part[1]::uuid and v.item_id = m.part[2]::uuid and v.is_latest;
end;
comment on function memento.mcp_states(text[]) is
  'For each URI what changes when the resource does; null if there is none that the role may read. The shim looks here for those that a client has subscribed to.';

create function memento.health_check() returns jsonb
  language sql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
begin atomic
  select pg_catalog.jsonb_build_object(
           'status', case when pg_catalog.bool_or(d.status = 'fail') then 'failing' when pg_catalog.bool_or(d.status = 'warn') then 'degraded' else 'ok' end,
           'version', memento.version(),
           'checks', pg_catalog.jsonb_object_agg(d.check_name, d.status),
           'hints', coalesce(pg_catalog.jsonb_agg(d.hint) filter (where d.status <> 'ok' and d.hint is not null), '[]'))
    from memento.doctor() d;
end;
comment on function memento.health_check() is
  'doctor() in short: status (ok, degraded, failing), version, the status of each check, and hints for those that are not ok.';
