comment on function memento.save_eval_set(text, jsonb) is
  'Saves labelled queries, as eval() takes them, under a name, in place of those of that name; returns how many. Needs write access.';
comment on function memento.run_eval_set(text, int, text) is
  'eval() for saved queries, by the project''s embedding profile or another one that has its vectors; the result is also kept in eval_run. Needs write access.';
comment on function memento.compare_profiles(text, text, text, int) is
  'How good searches are on saved queries by one embedding profile and by another, lane by lane: better and worse say for how many queries the nDCG@k of the other one is higher or lower. Both need the project''s vectors, so a candidate is filled first. Needs read access.';
comment on function memento.tune_weights(jsonb, text, int) is
  'Looks for factors of the lanes'' weights that rank labelled queries better, given as for eval() or as the name of a saved set: weights, for set_search_weights(); train and held_out with recall, mrr and ndcg at k by the extension''s own weights (default), by those in force (current) and by those that were found (tuned), and for how many queries the tuned ones are better or worse than the current ones. Factors are chosen on one half of the queries (train), by a search that always takes the same way; recommended says whether they are also better on the other half. Changes nothing. Needs read access.';
comment on function memento.set_search_weights(jsonb) is
  'Sets what searches in the current project multiply the weights of their lanes by, an object with lexical, semantic, trigram, tech_token, canonical, pinned, intent and time, each from 0 to 100 and 1 if it is left out; null for 1 each. Returns what is in force now. Needs admin access.';
