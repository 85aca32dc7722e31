//! The statements, all of them calls of public functions. Values are bound.

/// A call in a project: sets it first, in the same round trip, because connections serve many sessions.
macro_rules! in_project {
    ($call:literal) => {
        concat!(
            "select called.result, pg_catalog.current_setting('memento.project', true)
               from (select pg_catalog.set_config('memento.project', $1, false) offset 0) as chosen(project)
              cross join lateral (select ",
            $call,
            " where chosen.project is not null offset 0) as called(result)"
        )
    };
}

/// Project, toolset, name, arguments.
pub const CALL: &str = in_project!("memento.mcp_call($3, $4::text::jsonb, $2)::text");

/// Project, where the page before ended, how many.
pub const RESOURCES: &str = in_project!("memento.mcp_resources($2, $3)::text");

/// Project, URI.
pub const READ: &str = in_project!("memento.mcp_read($2)::text");

/// Toolset.
pub const TOOLS: &str = "select pg_catalog.jsonb_build_object('name', t.name, 'description', t.description,
    'inputSchema', t.input_schema, 'annotations', t.annotations)::text from memento.mcp_tools($1) t";

/// Nothing.
pub const TEMPLATES: &str =
    "select pg_catalog.jsonb_build_object('uriTemplate', t.uri_template, 'name', t.name,
    'description', t.description, 'mimeType', t.mime_type)::text from memento.mcp_resource_templates() t";

/// URIs.
pub const STATES: &str = "select s.uri, s.state from memento.mcp_states($1) s";

/// Nothing.
pub const DOCTOR: &str = "select d.check_name, d.status, d.detail, d.hint from memento.doctor() d";

/// Names and values of settings.
pub const SETTINGS: &str = "select pg_catalog.set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s(name, value)";
