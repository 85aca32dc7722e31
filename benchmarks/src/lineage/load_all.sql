-- Root and depth as the triggers would have them: those are off.
insert into memento.event_store (project_id, event_id, parent_uuid, root_uuid, depth, parent_depth, session_id, event_type, event_data)
select '00000000-0000-0000-0000-000000000001', event_id, parent_uuid, root_uuid, depth, nullif(depth, 0) - 1, session_id, event_type, event_data
  from source;
insert into specified.event_store (event_id, parent_uuid, root_uuid, depth, instance_id, event_type, event_data)
select event_id, parent_uuid, root_uuid, depth, session_id, event_type, event_data
  from source;
insert into plain (project_id, event_id, parent_uuid, root_uuid, depth, parent_depth, session_id, event_type, event_data)
select '00000000-0000-0000-0000-000000000001', event_id, parent_uuid, root_uuid, depth, nullif(depth, 0) - 1, session_id, event_type, event_data
  from source;
