-- Searches and packs of evidence.
comment on function memento.retrieve(text, int, int, int, jsonb, timestamptz, text, text, boolean, int, boolean, text) is
  'The evidence pack for a query: the best passages within a budget of items, characters and tokens, at most max_per_item of one item, as artifacts (evidence_id A-...) and quotes (Q-...) with exact snippets, their spans, and why they are relevant, and the events that they prove (E-...), each with its quote; notes say which lanes ran, why one did not, and how long each took. return_style ids_only gives only ids; debug adds each lane''s ranks. strategy hierarchical chooses the best documents first and prefers their passages to what is found everywhere, which it leaves nothing out of. The pack is kept, without text, for explain_pack() and replay_pack() under query_id, unless store is false or the transaction is read-only, which the notes say. Filters and as_of as for search(). Needs read access.';
comment on function memento.expand(text, int) is
  'The text around a piece of evidence, given by its evidence_id, as an exact slice of its version of at most max_chars characters. Needs read access.';
comment on function memento.explain_pack(uuid) is
  'Why each piece of evidence of a pack stands where it does: its rank in each lane, the lane''s weight for the query, and what that added to its score. pack_id is the query_id of retrieve(). Needs read access.';
comment on function memento.replay_pack(uuid) is
  'Makes a pack again as it was asked for: same is true if it is the same, byte for byte, with the notes of then. Otherwise changes says what has become of its evidence (item_gone, item_archived, version_gone, version_superseded, chunk_gone, displaced, moved, scored_differently), what is new in it (chunk_new, came_up), and which lane has changed; the pack is as it is now. Keeps nothing. Needs read access.';
comment on function memento.memory_search(text, int, boolean, jsonb) is
  'The best items of the current project for a query, by the scores of their best chunks (the first, half of the second, a quarter of the third), with the chunks that search() found unless include_chunks is false. Filters as for search(). Needs read access.';
comment on function memento.artifact_search(text, int, jsonb, text, text, boolean) is
  'The best artifacts for a query, by the scores of their best chunks: artifacts (names and metadata as artifact_get() has them, score, and the chunks that were found unless include_chunks is false, each an exact quote), total (how many were found before max_items) and filters_applied. artifact_type and artifact_uid restrict it; filters as for search(). Needs read access.';
comment on function memento.hybrid_search(text, int, jsonb) is
  'The best artifacts and memories for a query: results (type artifact or memory, id as artifact_get() or memory_get() takes it, the best chunk as an exact quote, score and lanes), total (how many were found before max_items) and filters_applied. Filters as for search(). Needs read access.';
comment on function memento.eval(jsonb, int) is
  'How good searches are on labelled queries, [{"query": "...", "relevant": [item_id or chunk_id, ...]}, ...]: the means of Recall@k, MRR and nDCG@k over all queries for each lane and for all of them fused, and the median time. Needs read access.';
