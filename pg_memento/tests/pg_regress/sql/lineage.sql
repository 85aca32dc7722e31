-- Events: the example of the seed.
select memento.create_project('lineage') is not null as made;
select memento.use_project('lineage') is not null as used;
\set request '00000000-0000-0000-0000-0000000000e0'
\set spawn '00000000-0000-0000-0000-0000000000e1'
\set tool '00000000-0000-0000-0000-0000000000e2'
\set error '00000000-0000-0000-0000-0000000000e3'
select depth, root_uuid = event_id as is_root, parent_uuid, event_type, event_data from memento.emit_event('user_message', '{"text": "deploy it"}', event_id => :'request');
select depth, root_uuid, parent_uuid from memento.emit_event('spawn_decision', parent_uuid => :'request', event_id => :'spawn');
select depth, root_uuid, parent_uuid from memento.emit_event('tool_use', '{"tool": "kubectl"}', :'spawn', event_id => :'tool');
select depth, root_uuid, parent_uuid from memento.emit_event('error', '{"exit": 137}', :'tool', event_id => :'error');
select uuid, event_type, event_data, depth, truncated from memento.get_parent_chain(:'error');
select uuid, event_type, depth, truncated from memento.get_parent_chain(:'error', 2);
select uuid, event_type, event_data, truncated from memento.get_child_events(:'spawn');
select uuid, event_type, depth, parent_uuid, truncated from memento.get_event_tree(:'request');
select uuid, event_type, depth, parent_uuid, truncated from memento.get_event_tree(:'request', 1);
select uuid, event_type, depth from memento.root_cause(:'error');
select memento.calculate_root_uuid(:'tool');
select memento.resume_context(:'error', 1000) - 'events' - 'tokens' as context;

-- Moving and deleting.
update memento.event_store set parent_uuid = :'error' where event_id = :'spawn';
update memento.event_store set parent_uuid = null where event_id = :'spawn';
select event_type, depth, root_uuid from memento.event_store where project_id = memento.current_project() order by sequence_num;
delete from memento.event_store where event_id = :'spawn';
select event_type, depth, root_uuid from memento.event_store where project_id = memento.current_project() order by sequence_num;
select memento.emit_event('x', parent_uuid => :'spawn');
