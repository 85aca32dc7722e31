-- The seeds' other names for a search.
create function memento.hybrid_search(query text, max_items int default 10, filters jsonb default '{}')
  returns jsonb
  language sql stable parallel unsafe
  set search_path = pg_catalog, pg_temp
  return memento.memory_search(query, max_items, true, filters);
create function memento.artifact_search(query text, max_items int default 10, filters jsonb default '{}')
  returns jsonb
  language sql stable parallel unsafe
  set search_path = pg_catalog, pg_temp
  return memento.memory_search(query, max_items, true, filters);

comment on function memento.retrieve(text, int, int, int, jsonb, timestamptz, text, text, boolean, int, boolean) is
  'The evidence pack for a query: the best passages within a budget of items, characters and tokens, at most max_per_item of one item, as artifacts (evidence_id A-...) and quotes (Q-...) with exact snippets, their spans, and why they are relevant, and the events that they prove (E-...), each with its quote; notes say which lanes ran, why one did not, and how long each took. return_style ids_only gives only ids; debug adds each lane''s ranks. The pack is kept, without text, for explain_pack() under query_id, unless store is false or the transaction is read-only, which the notes say. Filters and as_of as for search(). Needs read access.';
comment on function memento.expand(text, int) is
  'The text around a piece of evidence, given by its evidence_id, as an exact slice of its version of at most max_chars characters. Needs read access.';
comment on function memento.explain_pack(uuid) is
  'Why each piece of evidence of a pack stands where it does: its rank in each lane, the lane''s weight for the query, and what that added to its score. pack_id is the query_id of retrieve(). Needs read access.';
comment on function memento.memory_search(text, int, boolean, jsonb) is
  'The best items of the current project for a query, in the order of their best chunks, with the chunks that search() found unless include_chunks is false. Filters as for search(). Needs read access.';
comment on function memento.hybrid_search(text, int, jsonb) is
  'memory_search() under the name of seed 000. Needs read access.';
comment on function memento.artifact_search(text, int, jsonb) is
  'memory_search() under the name of seed 000, where every memory is an artifact. Needs read access.';
comment on function memento.eval(jsonb, int) is
  'How good searches are on labelled queries, [{"query": "...", "relevant": [item_id or chunk_id, ...]}, ...]: the means of Recall@k, MRR and nDCG@k over all queries for each lane and for all of them fused, and the median time. Needs read access.';
