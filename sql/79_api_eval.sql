comment on function memento.save_eval_set(text, jsonb) is
  'Saves labelled queries, as eval() takes them, under a name, in place of those of that name; returns how many. Needs write access.';
comment on function memento.run_eval_set(text, int, text) is
  'eval() for saved queries, by the project''s embedding profile or another one that has its vectors; the result is also kept in eval_run. Needs write access.';
comment on function memento.compare_profiles(text, text, text, int) is
  'How good searches are on saved queries by one embedding profile and by another, lane by lane: better and worse say for how many queries the nDCG@k of the other one is higher or lower. Both need the project''s vectors, so a candidate is filled first. Needs read access.';
