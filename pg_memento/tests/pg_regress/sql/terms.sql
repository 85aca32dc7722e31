-- Terms of a project, and the tokens that chunks have by them.
select memento.create_project('terms') is not null as made, memento.use_project('terms') is not null as used;
select memento.remember('The object store of PAY-4012 runs on Tideline hardware.', kind => 'note') ->> 'status' as status;
select tech_tokens, rules_version > 0 as has_rules, terms_version from memento.chunk where project_id = memento.current_project();
select count(*) > 10 as some from memento.domain_terms();
-- In one transaction: afterwards the background worker would do it.
begin;
select memento.add_domain_terms(array[' Tideline  Hardware ', 'tideline', 'dell']) as added;
select memento.remove_domain_terms(array['object store', 'never there']) as removed;
select memento.backfill_tech_tokens() as renewed;
commit;
select tech_tokens, terms_version from memento.chunk where project_id = memento.current_project();
select memento.add_domain_terms(array['tideline']) as added_again;
select memento.backfill_tech_tokens() as nothing_left;
select memento.remember('tideline again', kind => 'note') ->> 'status' as status;
select tech_tokens from memento.chunk where chunk_text like '%again';

-- Each action item is a chunk.
select ordinal, chunk_text, heading_path from memento.chunk_markdown(E'# Actions\n\n- [ ] Ana writes the note\n- [x] Tom rolls back\n  - at noon', kind => 'action_items');
select memento.remember(E'- Use Postgres\n- Drop the queue', kind => 'decisions') ->> 'chunks' as chunks;

-- Queries.
select memento.analyze_query('why does ECONNRESET happen on db-1.internal:5432') - 'weights' as analysis;
select memento.analyze_query('Who said we would ship between 2026-01-10 and 2026-02-01?') - 'weights' as analysis;
select memento.analyze_query('') - 'weights' as analysis;
select memento.analyze_query(null) as unknown;
set timezone = 'Pacific/Kiritimati';
select (memento.analyze_query('yesterday') -> 'date_range' ->> 'until')::date = current_date as ends_today;
reset timezone;

-- Refused.
select memento.add_domain_terms(null);
select memento.add_domain_terms(array['ok', null]);
select memento.add_domain_terms(array[' - ']);
select memento.add_domain_terms(array[repeat('a', 101)]);
select memento.add_domain_terms(array(select 'term ' || n from generate_series(1, 10001) n));
select memento.backfill_tech_tokens(0);
