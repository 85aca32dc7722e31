-- Lanes of a search, with vectors by words: what each finds, what it says, and packs of evidence.
select memento.create_project('searched') is not null as created;
select memento.use_project('searched') is not null as used;
select memento.embedding_profiles_upsert('words', 'hash', 'words', 64) - 'profile_id' as profile;
select memento.embedding_profiles_activate('words', force => true) ->> 'active' as active;
-- In one transaction, or else the worker may be faster than the next statement.
begin;
select r ->> 'status' as status
  from (values ('The nightly export failed with PAY-4012: the ledger was closed too early.', 'Export', 'note'),
               ('Decision: the ledger is closed at midnight, never earlier.', 'Ledger', 'decision'),
               ('Lunch is at noon.', null, 'note')) m(content, title, kind),
       memento.remember(content, title => title, kind => kind) r;

-- Without vectors the lane is off and says why.
select e -> 'ran' as ran, e ->> 'reason' as reason
  from memento.retrieve('ledger', store => false) p, lateral (select p #> '{notes,retrieval,lane_details,dense}' as e) d;
commit;
insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
  select c.project_id, c.chunk_id, p.profile_id, e.embedding::vector
    from memento.chunk c
   cross join memento.embedding_profile p
   cross join lateral memento.embed(array[c.chunk_text], 'document') e
   where p.name = 'words' and c.project_id = memento.current_project()
  on conflict do nothing;
select title, jsonb_path_query_array(to_jsonb(array(select jsonb_object_keys(lanes) order by 1)), '$[*]') as lanes,
       lanes #>> '{tech_token,tokens}' as tokens
  from memento.search('when is the ledger closed, says pay-4012?');
select title, lanes #> '{dense,rank}' as dense from memento.search('lunch noon', k => 1);

-- Pinned and canonical items are preferred, as ranked lists.
select memento.memory_pin(item_id) ->> 'status' as status from memento.item where title = 'Ledger';
select title, lanes -> 'pinned' as pinned from memento.search('ledger closed', k => 2);

-- Packs.
select memento.retrieve('why pay-4012?', max_evidence_items => 1, max_total_chars => 60) as pack \gset
select e ->> 'evidence_id' ~ '^Q-\d+$' as id, e ->> 'snippet' as snippet, e ->> 'why_relevant' as why,
       substr(v.content, (e ->> 'start_char')::int + 1, (e ->> 'end_char')::int - (e ->> 'start_char')::int) = e ->> 'snippet' as exact
  from jsonb_array_elements(:'pack'::jsonb -> 'quotes') e
  join memento.version v on v.item_id = (e ->> 'item_id')::uuid;
select :'pack'::jsonb #> '{notes,retrieval,lanes}' as lanes, :'pack'::jsonb #>> '{notes,retrieval,planner}' as planner, :'pack'::jsonb #> '{notes,stored}' as stored;
select place, lane, rank, round(contribution::numeric, 4) as contribution, note from memento.explain_pack((:'pack'::jsonb ->> 'query_id')::uuid) order by place, lane;
select memento.expand((select e ->> 'evidence_id' from jsonb_array_elements(:'pack'::jsonb -> 'quotes') e), 20) ->> 'text' as text;
select jsonb_array_length(memento.retrieve('ledger', return_style => 'ids_only') -> 'retrieved_ids') as ids;
select lane, queries, recall, mrr, ndcg
  from memento.eval((select jsonb_build_array(jsonb_build_object('query', 'export failed', 'relevant', jsonb_build_array(item_id)))
                       from memento.item where title = 'Export'));
select jsonb_path_query_array(memento.memory_search('ledger', include_chunks => false), '$.results[*].title') as titles;

-- Forgetting takes the packs with it.
select count(*) > 0 as packs from memento.evidence_pack p join memento.item i on i.item_id = any (p.item_ids) where i.title = 'Export';
select memento.forget(item_id) -> 'items' as items from memento.item where title = 'Export';
select count(*) as packs from memento.evidence_pack where query like '%4012%';

-- Refused.
select memento.retrieve(null);
select memento.retrieve('x', max_evidence_items => 0);
select memento.retrieve('x', return_style => 'prose');
select memento.retrieve('x', intent => 'mood');
select memento.expand('Q-999999');
select memento.expand('17');
select memento.explain_pack('00000000-0000-0000-0000-000000000000');
select memento.eval('{}');
select memento.eval('[{"query": "x", "relevant": []}]');
select memento.memory_search('x', max_items => 0);
