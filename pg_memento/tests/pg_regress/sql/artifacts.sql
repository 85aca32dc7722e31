-- Artifacts, conversations, short memories, retention and the quality report. Ids that are derived are the same in every run.
select memento.use_project(memento.create_project('artifacts')::text) is not null as project;
select memento.pause_queue() is not null as paused;

select jsonb_pretty(memento.artifact_ingest('doc', 'wiki', 'Decision: we will use Postgres.', source_id => 'page-1', title => 'Storage',
                                            author => 'Ana', participants => array['Ana', 'Tom'], ts => '2026-01-31T10:00:00Z',
                                            source_url => 'https://wiki.example.com/page-1')
                    - 'item_id' - 'version_id' - 'job_id') as first;
select memento.artifact_ingest('doc', 'wiki', 'Decision: we will use Postgres.', source_id => 'page-1')
       - 'item_id' - 'version_id' - 'job_id' as again;
select memento.artifact_ingest('doc', 'wiki', 'Decision: we use something else.', source_id => 'page-1', retention_policy => '1y') ->> 'status' as changed;
select r ->> 'status' as status, r ->> 'job_status' as job_status, r ->> 'version_num' as version
  from memento.artifact_ingest('doc', 'wiki', 'Decision: we will use Postgres.', source_id => 'page-1') r;
select jsonb_pretty((memento.artifact_get(artifact_uid, include_content => true, include_chunks => true)
                     #- '{metadata,ingested_at}'::text[]) - 'item_id' - 'version_id') as artifact
  from memento.item where source_id = 'page-1';
select kind, state, payload from memento.job where kind = 'extract_events' and project_id = memento.current_project() order by job_id;
select memento.artifact_delete('art_0000000000000000');
select memento.artifact_get('page-1');
select memento.artifact_ingest('book', 'wiki', 'x');
select memento.artifact_delete(artifact_uid) - 'receipt_id' - 'forgotten_at' - 'forgotten_by' as deleted
  from memento.item where source_id = 'page-1';

-- Conversations.
select memento.history_append('chat-1', 'user', 'Where do we store events?') as turn;
select memento.history_append('chat-1', 'assistant', 'In Postgres.') as turn;
select memento.history_append('chat-1', 'assistant', 'In Postgres.', turn_index => 1) as turn;
select memento.history_append('chat-1', 'assistant', 'Elsewhere.', turn_index => 1);
select memento.history_append('chat-1', 'nobody', 'x');
select t ->> 'turn_index' as turn, t ->> 'role' as role, t ->> 'content' as content
  from jsonb_array_elements(memento.history_get('chat-1') -> 'turns') t;
select memento.history_get('chat-1', 1) - 'turns' as page;

-- Short memories.
select memento.memory_store('Prefers dark mode.', 'preference', 0.9) - 'memory_id' - 'item_id' - 'version_id' as stored;
select memento.memory_store('x', confidence => 2);

-- Kept until it is resolved, and for a time.
select memento.remember('The printer is on fire.', title => 'ticket', retention => 'until_resolved') ->> 'item_id' as ticket \gset
select memento.remember('Minutes of a meeting.', title => 'minutes', retention => '90d') ->> 'status' as status;
select count(*) as due from memento.retention_due();
select memento.memory_resolve(:'ticket') ? 'resolved_at' as resolved;
select title, retention, action from memento.retention_due();
select title, retention, due_at::date - current_date as days from memento.retention_due('infinity') order by due_at;

-- The quality report.
select memento.remember('The same.') ->> 'status' as status from generate_series(1, 2);
select p.key as problem, p.value -> 'count' as count from jsonb_each(memento.memory_audit() -> 'problems') p order by p.key collate "C";
select memento.memory_audit() -> 'not_checked' as not_checked;

-- Chunked later.
set memento.max_inline_size = '1kB';
select memento.remember(repeat('A long text. ', 200)) - 'item_id' - 'version_id' - 'job_id' as large;
select memento._ingest_version(v.project_id, v.version_id) > 0 as chunked from memento.version v order by v.created_at desc limit 1;
select memento._ingest_version(memento.current_project(), gen_random_uuid()) as gone;
select memento.admin_reingest_version('00000000-0000-0000-0000-000000000009');
reset memento.max_inline_size;

select memento.forget(whole_project => true) ->> 'items' as items;
