-- The lexical lane: words ranked by BM25.
select memento.create_project('lexical') \g /dev/null
select memento.use_project('lexical') \g /dev/null
select count(memento.remember(content)) from unnest(array[
  'storage storage storage', 'storage of potatoes in a dark cellar', 'potatoes', 'a ledger of com.example.LedgerService at PAY-4012',
  'the and of']) content;
-- Rare words weigh more, repetition adds less and less, long texts count less.
select excerpt, round(score::numeric, 6) as score, lanes #>> '{fts,rank}' as rank, lanes #>> '{fts,used}' as used
  from memento.search('which storage has potatoes?');
-- Parts of what is joined by marks.
select excerpt from memento.search('ledgerservice');
select excerpt from memento.search('4012');
-- Nothing to look for.
select count(*) from memento.search('the of');
select count(*) from memento.search('');
select count(*) from memento.search('!"$%&/()=?''\ :* | &');
-- No repetition, no length.
set memento.bm25_k1 = 0;
select excerpt, round(score::numeric, 6) as score from memento.search('storage');
reset memento.bm25_k1;
set memento.bm25_b = 2;
-- What is counted.
-- The worker may be at it.
begin;
select memento._lock_counting(p.project_id, true) from memento.project p where p.name = 'lexical';
select memento._count_words(p.project_id, 1000) is not null as counted from memento.project p where p.name = 'lexical';
commit;
select s.chunk_count, s.word_count from memento.lexical_stat s join memento.project p using (project_id) where p.name = 'lexical';
select s.lexeme, s.chunk_count from memento.lexeme_stat s join memento.project p using (project_id) where p.name = 'lexical' order by 1;
select excerpt, round(score::numeric, 6) as score from memento.search('which storage has potatoes?');
select memento.enable_bm25();
select memento.disable_bm25();
