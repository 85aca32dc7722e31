-- Fusing rankings.
select memento.rrf_score(1) = 1.0 / 61 as first, memento.rrf_score(3, 0.5, 10) = 0.5 / 13 as weighted, memento.rrf_score(null) as nothing;
select id, round(score::numeric, 6) as score, ranks from memento.rrf_fuse('{"fts": ["a", "b", "c"], "dense": ["b", "d"]}');
select id, round(score::numeric, 6) as score, ranks from memento.rrf_fuse('{"fts": [1, 2], "dense": [2, 3]}', '{"fts": 0.4, "dense": 0.5}', 10);
select count(*) from memento.rrf_fuse('{}');
select count(*) from memento.rrf_fuse(null);
select memento.rrf_score(0);
select memento.rrf_score(1, 1, -1);
select memento.rrf_fuse('[]');
select memento.rrf_fuse('{"a": 1}');
select memento.rrf_fuse('{"a": [null]}');
select memento.rrf_fuse('{"a": [1]}', '{"a": -1}');
select memento.rrf_fuse('{"a": [1]}', '{"b": 1}');

-- Finding quotes.
select * from memento.locate_quote('We decided: “use   Postgres”, it’s fine.', '"use Postgres", it''s fine');
select * from memento.locate_quote('ab äb ab', 'ab');
select * from memento.locate_quote('ab äb ab', 'ab', 7);
select * from memento.locate_quote('ab', 'not there');
select * from memento.locate_quote('ab', '');
select * from memento.locate_quote(null, 'ab');

-- Checking citations.
select * from memento.check_citations(
  E'# Answer\n\nThe export stays until April [Q-12]. It was Ana''s idea, e.g. [A-3, Q-7]. Nobody objected. [Q-99]\n\n- a point\n',
  '{Q-12,A-3,Q-7}');
select * from memento.check_citations('Nothing is cited.', null);
select * from memento.check_citations(null, '{Q-1}');
