-- Several memories at once, once.
select memento.create_project('commits') is not null as made, memento.use_project('commits') is not null as used;
select memento.sessions_start('planning', '{"agent": "planner"}') ->> 'session_id' as session \gset
\set entries '[{"content": "We use Postgres.", "kind": "decision", "tags": ["db"], "metadata": {"n": 12345678901234567890.5}}, {"content": "The limit is 10.", "source_system": "wiki", "source_id": "limits", "title": "Limits"}]'
select memento.memory_commit(:'entries', 'key-1', :'session', 'after the meeting') as first \gset
select r ->> 'status' as status, r ->> 'version_num' as version_num, r ->> 'chunks' as chunks
  from jsonb_array_elements(:'first'::jsonb -> 'results') r;
select c ->> 'replayed' as replayed, c - 'replayed' = :'first'::jsonb - 'replayed' as same_result
  from (select memento.memory_commit(:'entries', 'key-1', :'session', 'after the meeting')) as again(c);
select count(*) as items, count(distinct v.commit_id) as commits from memento.version v where v.project_id = memento.current_project();
select metadata from memento.item where kind = 'decision' and project_id = memento.current_project();
select operation, message, created_by = current_user as by_me, session_id = :'session' as in_session
  from memento.commit where project_id = memento.current_project();
select v ->> 'operation' as operation, v ->> 'message' as message
  from memento.item i, jsonb_array_elements(memento.memory_history(i.item_id) -> 'versions') v
 where i.source_id = 'limits' and i.project_id = memento.current_project();

-- All or none.
select memento.memory_commit('[{"content": "this one is good"}, {"content": " "}]');
select count(*) from memento.search('good');

-- Forgetting takes the message too.
select memento.forget(source_system => 'wiki', source_id => 'limits') -> 'items' as items;
select message from memento.commit where project_id = memento.current_project();

-- Sessions end once.
select s ->> 'summary' as summary, s ->> 'commits' as commits from (select memento.sessions_end(:'session', 'done')) as ended(s);
select s ->> 'summary' as summary, s ->> 'commits' as commits from (select memento.sessions_end(:'session')) as ended(s);
-- A request that was done is answered, though its session has ended.
select memento.memory_commit('[{"content": "in time"}]', 'key-2', memento_session.id) ->> 'replayed' as replayed
  from (select (memento.sessions_start('short') ->> 'session_id')::uuid as id) memento_session;
select memento.sessions_end(s.session_id) ->> 'commits' as commits from memento.session s where s.title = 'short';
select memento.memory_commit('[{"content": "in time"}]', 'key-2', s.session_id) ->> 'replayed' as replayed
  from memento.session s where s.title = 'short';
\set VERBOSITY sqlstate
select memento.memory_commit('[{"content": "late"}]', session_id => :'session');
\set VERBOSITY default

-- Refused.
select memento.memory_commit('[{"content": "another"}]', 'key-1');
select memento.memory_commit(null);
select memento.memory_commit('{}');
select memento.memory_commit('[]');
select memento.memory_commit('["text"]');
select memento.memory_commit('[{"content": "x", "colour": "red", "size": 1}]');
select memento.memory_commit('[{"content": "x", "source_id": "1"}]');
select memento.memory_commit('[{"content": "x", "tags": ["a", null]}]');
select memento.memory_commit('[{"content": "x", "tags": "a"}]');
select memento.memory_commit('[{"content": "x", "tags": [["a"], 1]}]');
select memento.memory_commit('[{"content": 5}]');
select memento.memory_commit('[{"content": "x"}]', ' ');
select memento.memory_commit('[{"content": "x"}]', session_id => '00000000-0000-0000-0000-000000000009');
select memento.sessions_end('00000000-0000-0000-0000-000000000009');
select memento.sessions_start(metadata => '[]');

-- Forgetting the project takes what was said about it.
select memento.forget(whole_project => true) -> 'items' as items;
select count(*) from memento.commit where project_id = memento.current_project() and message is not null;
select count(*) from memento.session where project_id = memento.current_project() and (title is not null or summary is not null or metadata <> '{}');
select memento.memory_commit('[{"content": "in time"}]', 'key-2', null);
