-- What agents can call over MCP. A tool is a name for a function of this schema; its schema is read from the catalogue of the server.
-- A row whose function is not there (yet), or that the role may not execute, is no tool.
create view memento.mcp_tool with (security_invoker = true) as
  select t.tool_name, p.oid::pg_catalog.regprocedure as function, t.toolsets::text[] || 'all'::text as toolsets, t.effect,
         t.is_idempotent, coalesce(t.summary, pg_catalog.obj_description(p.oid, 'pg_proc')) as description, t.brief::text[] as brief
    from (values
      -- Everybody's ten: short descriptions, and only the arguments that most calls need.
      ('remember', null, '{core,memory}', 'add', false,
       'Store a fact, decision, preference or document so that later sessions can find it. Use it as soon as something is worth keeping. The same source_system and source_id again makes a new version.',
       '{content,title,kind,tags,source_system,source_id}'),
      ('recall', null, '{core,memory}', 'read', true,
       'Search the memory: the best passages for a question or an identifier. Use it first, before you say that you do not know.',
       '{query,k,filters}'),
      ('retrieve', null, '{core,memory}', 'read', true,
       'Like recall, but an evidence pack within a budget of characters, with ids to cite. Use it to write an answer that has to be checked.',
       '{query,max_evidence_items,max_total_chars,filters,as_of}'),
      ('expand', null, '{core,memory}', 'read', true,
       'The text around a piece of evidence of retrieve, when its snippet is too short.', '{evidence_id,max_chars}'),
      ('memory.get', null, '{core,memory}', 'read', true,
       'One memory in full, by the item_id that recall gave; also an old version, or as it was at a time.',
       '{item_id,version_num,as_of}'),
      ('memory.list', null, '{core,memory}', 'read', true,
       'Browse what is stored, newest first, without the contents. Use it when there is nothing to search for.',
       '{filters,max_items,after}'),
      ('memory.history', null, '{core,memory}', 'read', true,
       'The versions of a memory: when it changed, and by whom. Use it when it matters what was true before.',
       '{item_id,max_versions}'),
      ('canonical.context_pack', null, '{core,memory}', 'read', true,
       'What of the project''s canonical documents (specifications, plans) fits in a budget of tokens. Use it at the start of a task.',
       '{token_budget,query}'),
      ('event_search', null, '{core,events}', 'read', true,
       'Find decisions, commitments and other events in what was said, each with the quotes that prove it.',
       '{query,category,time_from,time_to,max_items}'),
      ('forget', null, '{core,memory}', 'erase', true,
       'Erase a memory for good, with all its versions. Only when the user asks for it.', '{item_id}'),

      ('memory.search', null, '{memory}', 'read', true, null, null),
      ('memory.commit', null, '{memory}', 'add', false, null, null),
      ('memory.diff', null, '{memory}', 'read', true, null, null),
      ('memory.restore', null, '{memory}', 'change', true, null, null),
      ('memory.pin', null, '{memory}', 'change', true, null, null),
      ('memory.unpin', null, '{memory}', 'change', true, null, null),
      ('memory.archive', null, '{memory}', 'change', true, null, null),
      ('memory.link', null, '{memory}', 'change', true, null, null),
      ('memory_resolve', null, '{memory}', 'change', true, null, null),
      ('memory_store', null, '{memory}', 'add', false, null, null),
      ('memory_delete', null, '{memory}', 'erase', true, null, null),
      ('projects.resolve', null, '{memory}', 'change', true, null, null),
      ('projects.list', null, '{memory}', 'read', true, null, null),
      ('sessions.start', null, '{memory}', 'add', false, null, null),
      ('sessions.end', null, '{memory}', 'change', true, null, null),
      ('canonical.upsert', null, '{memory}', 'change', true, null, null),
      ('canonical.get', null, '{memory}', 'read', true, null, null),
      ('canonical.outline', null, '{memory}', 'read', true, null, null),
      ('canonical.get_section', null, '{memory}', 'read', true, null, null),
      ('artifact_ingest', null, '{memory}', 'change', true, null, null),
      ('artifact_search', null, '{memory}', 'read', true, null, null),
      ('artifact_get', null, '{memory}', 'read', true, null, null),
      ('artifact_delete', null, '{memory}', 'erase', true, null, null),
      ('hybrid_search', null, '{memory}', 'read', true, null, null),
      ('history_append', null, '{memory}', 'add', false, null, null),
      ('history_get', null, '{memory}', 'read', true, null, null),
      ('verify_forgotten', null, '{memory}', 'read', true, null, null),
      ('explain_pack', null, '{memory}', 'read', true, null, null),
      ('replay_pack', null, '{memory}', 'read', true, null, null),
      ('check_citations', null, '{memory}', 'read', true, null, null),
      ('locate_quote', null, '{memory}', 'read', true, null, null),
      ('kb.search', 'retrieve', '{kb}', 'read', true, null, null),
      ('kb.expand', 'expand', '{kb}', 'read', true, null, null),

      ('event_get', null, '{events}', 'read', true, null, null),
      ('event_list_for_revision', null, '{events}', 'read', true, null, null),
      ('event_diff', null, '{events}', 'read', true, null, null),
      ('event_reextract', null, '{events}', 'change', false, null, null),
      ('estimate_extract', null, '{events}', 'read', true, null, null),
      ('job_status', null, '{events,admin}', 'read', true, null, null),

      ('emit_event', null, '{lineage}', 'add', false, null, null),
      ('get_parent_chain', null, '{lineage}', 'read', true, null, null),
      ('get_child_events', null, '{lineage}', 'read', true, null, null),
      ('get_event_tree', null, '{lineage}', 'read', true, null, null),
      ('calculate_root_uuid', null, '{lineage}', 'read', true, null, null),
      ('root_cause', null, '{lineage}', 'read', true, null, null),
      ('session_timeline', null, '{lineage}', 'read', true, null, null),
      ('resume_context', null, '{lineage}', 'read', true, null, null),

      ('store', null, '{truth}', 'add', false, null, null),
      ('retrieve_entity_snapshot', null, '{truth}', 'read', true, null, null),
      ('list_observations', null, '{truth}', 'read', true, null, null),
      ('retrieve_field_provenance', null, '{truth}', 'read', true, null, null),
      ('retrieve_entities', null, '{truth}', 'read', true, null, null),
      ('retrieve_entity_by_identifier', null, '{truth}', 'read', true, null, null),
      ('retrieve_related_entities', null, '{truth}', 'read', true, null, null),
      ('retrieve_graph_neighborhood', null, '{truth}', 'read', true, null, null),
      ('list_timeline_events', null, '{truth}', 'read', true, null, null),
      ('list_entity_types', null, '{truth}', 'read', true, null, null),
      ('correct', null, '{truth}', 'add', false, null, null),
      ('create_relationship', null, '{truth}', 'add', false, null, null),
      ('list_relationships', null, '{truth}', 'read', true, null, null),
      ('get_relationship_snapshot', null, '{truth}', 'read', true, null, null),
      ('get_authenticated_user', null, '{truth}', 'read', true, null, null),

      ('embedding_profiles.list', null, '{admin}', 'read', true, null, null),
      ('embedding_profiles.upsert', null, '{admin}', 'change', true, null, null),
      ('embedding_profiles.activate', null, '{admin}', 'change', true, null, null),
      ('embedding_health', null, '{admin}', 'read', true, null, null),
      ('admin.reindex_profile', null, '{admin}', 'change', true, null, null),
      ('admin.reingest_version', null, '{admin}', 'change', true, null, null),
      ('health.check', null, '{admin}', 'read', true, null, null),
      ('capabilities', null, '{admin}', 'read', true, null, null),
      ('doctor', null, '{admin}', 'read', true, null, null),
      ('memory_audit', null, '{admin}', 'read', true, null, null),
      ('wait_until_idle', null, '{admin}', 'read', true, null, null),
      ('retry_job', null, '{admin}', 'change', true, null, null),
      ('cancel_job', null, '{admin}', 'change', true, null, null)
    ) as t (tool_name, function_name, toolsets, effect, is_idempotent, summary, brief)
    join pg_catalog.pg_proc p
      on p.proname = coalesce(t.function_name, pg_catalog.replace(t.tool_name, '.', '_'))
     and p.prokind = 'f' and p.pronamespace = 'memento'::pg_catalog.regnamespace
   where pg_catalog.has_function_privilege(p.oid, 'execute');
comment on view memento.mcp_tool is 'Which functions are tools of MCP, under which names: those that the role may call.';
comment on column memento.mcp_tool.tool_name is 'The name for clients. Dots may be written as underscores in calls.';
comment on column memento.mcp_tool.function is 'The function that is called.';
comment on column memento.mcp_tool.toolsets is 'The lists that it is on.';
comment on column memento.mcp_tool.effect is 'read, add (nothing that was there changes), change, or erase.';
comment on column memento.mcp_tool.is_idempotent is 'Whether a second call with the same arguments has no further effect.';
comment on column memento.mcp_tool.description is 'What a model is told: a sentence of its own, or the COMMENT of the function.';
comment on column memento.mcp_tool.brief is 'The arguments that the toolset core shows; null for all.';

-- The arguments of functions, from the server's catalogue, with what their types do not say. That is one JSON value and no list of rows,
-- because every call of a tool looks here, and a list of constants takes longer to scan than all the rest.
create view memento.mcp_argument with (security_invoker = true) as
  select p.oid::pg_catalog.regprocedure as function, a.ordinal::int as ordinal, a.argument_name, pg_catalog.format_type(t.oid, null) as type_name,
         a.ordinal <= p.pronargs - p.pronargdefaults as is_required,
         case when e.oid is null then scalar.schema else pg_catalog.jsonb_build_object('type', 'array', 'items', scalar.schema) end
         -- What is said for one function goes before what is said for all.
         || coalesce(said.of_arguments -> (p.proname || '.' || a.argument_name), said.of_arguments -> a.argument_name, '{}')
         || pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('default', case
              when d.text ~ '^(-?[0-9]+|true|false)$' then d.text::jsonb
              when d.text ~ '^''[^'']+''::text$' then pg_catalog.to_jsonb(pg_catalog.substr(d.text, 2, pg_catalog.length(d.text) - 8))
            end)) as schema
    from pg_catalog.pg_proc p
   -- Inputs stand before the columns of a result.
   cross join lateral unnest(p.proargtypes::oid[], p.proargnames[1 : p.pronargs]) with ordinality as a(type, argument_name, ordinal)
   cross join lateral (select pg_catalog.pg_get_function_arg_default(p.oid, a.ordinal::int)) as d(text)
    join pg_catalog.pg_type t on t.oid = a.type
    left join pg_catalog.pg_type e on e.oid = t.typelem and t.typcategory = 'A'
   cross join lateral (
           select case coalesce(e.typname, t.typname)
                    when 'uuid' then '{"type": "string", "format": "uuid"}'
                    when 'timestamptz' then '{"type": "string", "format": "date-time"}'
                    when 'int2' then '{"type": "integer"}'
                    when 'int4' then '{"type": "integer"}'
                    when 'int8' then '{"type": "integer"}'
                    when 'float4' then '{"type": "number"}'
                    when 'float8' then '{"type": "number"}'
                    when 'numeric' then '{"type": "number"}'
                    when 'bool' then '{"type": "boolean"}'
                    when 'jsonb' then '{}'
                    else '{"type": "string"}'
                  end::jsonb) as scalar(schema)
   cross join (select '{
     "scope": {"enum": ["project", "feature", "session", "task"], "description": "What it is about."},
     "sensitivity": {"enum": ["normal", "sensitive", "highly_sensitive"]},
     "visibility": {"enum": ["me", "team", "org", "custom"], "description": "Whom it is meant for."},
     "visibility_scope": {"enum": ["me", "team", "org", "custom"], "description": "Whom it is meant for."},
     "artifact_ingest.artifact_type": {"enum": ["email", "doc", "chat", "transcript", "note"]},
     "history_append.role": {"enum": ["user", "assistant", "system", "tool"], "description": "Who speaks."},
     "retrieve.return_style": {"enum": ["evidence_pack_json", "ids_only"]},
     "embedding_profiles_upsert.distance": {"enum": ["cosine", "l2", "ip"]},
     "memory_commit.entries": {"type": "array",
       "description": "The memories: [{\"content\": \"...\", \"title\": \"...\", \"kind\": \"...\", \"tags\": [...]}, ...]"},
     "filters": {"type": "object",
       "description": "All must hold: {\"kinds\": [...], \"tags_any\": [...], \"tags_all\": [...], \"speakers\": [...], \"entities\": [...], \"created_after\": \"...\", \"pinned_only\": true, ...}"},
     "metadata": {"type": "object"},
     "event_data": {"type": "object"},
     "config": {"type": "object"},
     "query": {"description": "A question, words or identifiers."},
     "k": {"description": "How many."},
     "version_num": {"description": "Default: the latest."},
     "as_of": {"description": "As things were then."},
     "after": {"description": "next_after of the page before."},
     "kind": {"description": "note, decision, preference, ... (free)"},
     "source_system": {"description": "Where it comes from."},
     "source_id": {"description": "Its id there."},
     "remember.content": {"description": "The text, as Markdown; kept exactly."}
   }'::jsonb) as said(of_arguments)
   where p.pronamespace = 'memento'::pg_catalog.regnamespace and p.prokind = 'f' and p.proname !~ '^_';
comment on view memento.mcp_argument is
  'The arguments of the functions of this schema, as JSON has them: what mcp_tools() describes and mcp_call() checks.';
comment on column memento.mcp_argument.function is 'The function.';
comment on column memento.mcp_argument.ordinal is 'Its place, from 1.';
comment on column memento.mcp_argument.argument_name is 'Its name.';
comment on column memento.mcp_argument.type_name is 'Its type in SQL.';
comment on column memento.mcp_argument.is_required is 'Whether it has no default.';
comment on column memento.mcp_argument.schema is 'Its JSON Schema.';
