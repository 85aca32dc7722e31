-- $1 project, $2 role, $3 session, $4 message, $5 idempotency key, $6 entries, $7 the message as it may be stored; nothing if the key was used before. Waits for a
-- transaction that is using it now.
insert into memento.commit (project_id, created_by, operation, session_id, message, idempotency_key, request_hash)
values ($1, pg_catalog.pg_get_userbyid($2), 'commit', $3::uuid, $7::text, $5::text,
        case when $5 is not null then pg_catalog.sha256(pg_catalog.convert_to(
          pg_catalog.jsonb_build_array($6::jsonb, $3::uuid, $4::text)::text, 'UTF8')) end)
on conflict (project_id, idempotency_key) do nothing
returning commit_id
