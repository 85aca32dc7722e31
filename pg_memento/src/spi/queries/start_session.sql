-- $1 project, $2 role, $3 title, $4 metadata
insert into memento.session (project_id, started_by, title, metadata)
values ($1, pg_catalog.pg_get_userbyid($2), $3::text, $4::jsonb)
returning pg_catalog.jsonb_build_object('session_id', session_id, 'started_at', started_at, 'title', title)
