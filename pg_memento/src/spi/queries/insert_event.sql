-- $1 project, $2 type, $3 data, $4 parent, $5 session, $6 id, $7 when. The whole row; none if the id is taken.
insert into memento.event_store as e (project_id, event_id, parent_uuid, session_id, event_type, event_data, "timestamp")
values ($1, $6, $4, $5, $2, $3, coalesce($7, pg_catalog.clock_timestamp()))
on conflict (project_id, event_id) do nothing
returning e
