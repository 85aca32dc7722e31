comment on function memento.rrf_score(bigint, float8, int) is
  'What a lane adds to the score of something that it ranks: weight / (k + rank). Ranks count from 1; null for null.';
comment on function memento.rrf_fuse(jsonb, jsonb, int) is
  'Fuses rankings by reciprocal rank: {"lane": [id, ...]} with the best first, and weights {"lane": number}, 1 where none is given. Gives each id once with its score and its rank in each lane, best first, ties by id.';
comment on function memento.locate_quote(text, text, int) is
  'Where a quote stands in a content, as one row of offsets in code points, or no row. Exactly first, then ignoring differences of white space and quotation marks; of several places the one nearest to near, else the first.';
comment on function memento.check_citations(text, text[]) is
  'Checks that every sentence of an answer cites evidence, as [Q-12] or [A-3, Q-7], and that what it cites is in evidence_ids. One row for each sentence; headings and fenced code are no sentences, list items are.';
