-- $1 project, $2 type, $3 data, $4 parent, $5 session, $6 id, $7 when. None if the id is taken.
insert into memento.event_store (project_id, event_id, parent_uuid, session_id, event_type, event_data, "timestamp")
select $1, coalesce($6::uuid, memento.new_event_id()), $4::uuid,
       coalesce($5::uuid, (select p.session_id from memento.event_store p where p.project_id = $1 and p.event_id = $4)),
       $2::text, $3::jsonb, coalesce($7::timestamptz, pg_catalog.clock_timestamp())
on conflict (project_id, event_id) do nothing
returning event_id, parent_uuid, root_uuid, depth, parent_depth, sequence_num, "timestamp", session_id, event_type, event_data
