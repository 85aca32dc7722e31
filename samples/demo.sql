-- What scripts/demo shows. Run from the root of the checkout.
\pset footer off
\set ECHO queries
\echo '\n--- Three lines: install, remember, recall ---\n'
create extension if not exists pg_memento cascade;
select memento.remember('Decision: we will use Postgres for event storage starting Monday.',
                        source_system => 'demo', source_id => 'first-memory') ->> 'status' as status;
select excerpt, round(score::numeric, 3) as score from memento.recall('what did we decide about storage?', k => 1);

\set ECHO none
\set design_note `cat samples/design-note.md`
\set runbook `cat samples/runbook.md`
\set incident `cat samples/incident.md`
\set meeting_notes `cat samples/meeting-notes.md`
create temporary table sample (file text, title text, kind text, tags text[], content text);
insert into sample values
  ('design-note.md', 'Event storage', 'design', '{storage}', :'design_note'),
  ('runbook.md', 'Runbook payments-api', 'runbook', '{payments}', :'runbook'),
  ('incident.md', 'Incident 2026-02-17', 'incident', '{payments}', :'incident'),
  ('meeting-notes.md', 'Weekly meeting', 'meeting', '{storage,payments}', :'meeting_notes');
\set ECHO queries
\echo '\n--- Four documents; each is searchable when remember() returns ---\n'
select file, memento.remember(content, title, kind, tags, source_system => 'samples', source_id => file)
               ->> 'version_num' as version
  from sample;

\echo '\n--- Asking: by question, by error code, within a kind ---\n'
select title, kind, split_part(excerpt, E'\n', 1) as first_line from memento.recall('why were payments delayed?', k => 3);
select title, start_char, end_char from memento.recall('PAY-4012', k => 1);
select title, kind from memento.recall('refund reports', k => 3, filters => '{"kinds": ["meeting"]}');

\echo '\n--- Proof: every result is an exact span of a stored version ---\n'
select r.title, substr(v.content, r.start_char + 1, r.end_char - r.start_char) = r.excerpt as exact
  from memento.recall('exit code 137', k => 2) r
  join memento.version v on v.item_id = r.item_id and v.version_num = r.version_num;

\echo '\n--- How a document was cut: under its headings, with exact offsets and token counts ---\n'
select c.ordinal, c.heading_path, c.section_anchor, c.block_kind, c.start_char, c.end_char, c.token_count
  from sample, memento.chunk_markdown(content) c
 where file = 'runbook.md';

\echo '\n--- Checking an answer: every sentence must cite what it was given ---\n'
select sentence, cited, ok, problem
  from memento.check_citations('Event storage is Postgres [Q-1]. It starts on Monday.', '{Q-1}');

\echo '\n--- Remembering the same source again changes nothing; what changed is a new version ---\n'
begin;
select r ->> 'status' as status, r -> 'version_num' as version
  from sample,
       unnest(array['', E'\nReviewed in April.']) as addition,
       memento.remember(content || addition, source_system => 'samples', source_id => file) as r
 where file = 'runbook.md';
rollback;

\echo '\n--- Tenancy: a role sees the projects that it was given, and nothing else ---\n'
begin;
create role demo_agent;
select memento.create_project('acme') is not null as created;
select memento.grant_access('demo_agent', 'acme', 'write');
set local role demo_agent;
select memento.use_project('acme', is_local => true) is not null as in_acme;
select count(*) as memories_visible from memento.item;
select memento.remember('The acme account is billed in euro.') ->> 'status' as remembered;
select count(*) as memories_visible from memento.item;
rollback;

\echo '\n--- Is everything in order? ---\n'
select check_name, status, detail from memento.doctor();
