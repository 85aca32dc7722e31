-- Semantic events, and how they are looked for.
comment on function memento._quote_problem(text, int[], int[], text[]) is
  'internal: what is wrong with the first quote that is not what a content says at its span; null if all are';
comment on function memento._texts_at(text, int[], int[]) is
  'internal: what a content says at spans; null where it has no such span';
comment on function memento.event_search(text, int, text, timestamptz, timestamptz, text, boolean, text, text, float8, text, boolean) is
  'The events of the current project that have all words of a query, or, where none has, any of them; of a category, between two times, of an artifact, with an actor or a subject whose names have these words, and at least this sure. The best first; without a query, or with more than 2,000 matches, the newest. Returns events (with their quotes unless include_evidence is false), total (counted with the first page up to 2,000, or all with exact_total, which takes longer; total_is_exact says whether that is all), next_after for the next page, and filters_applied. Needs read access.';
comment on function memento.event_get(uuid) is
  'An event of the current project with all its quotes, the run that found it and when. Needs read access.';
comment on function memento.event_list_for_revision(text, text, boolean) is
  'All events of a revision of an artifact, by default the latest: artifact_uid, revision_id, is_latest, total and events, with their quotes if asked for. Any item of the project can be given, also by its id. Needs read access.';
comment on function memento.event_diff(text, text, text) is
  'What became of the events of one revision of an artifact in another, by default the latest: added, removed, changed (the same category and subject, in other words) and unchanged. Needs read access.';
comment on function memento.event_reextract(text, text, boolean) is
  'Asks for a job that looks for events in a revision again, by default the latest. What was found before stays until the job is done. A job that is open or done is left alone unless force is true; then one that waits after failures is due at once, with all of its attempts. Returns job_id, artifact_uid, revision_id, status and message. Needs write access.';
comment on function memento.job_status(text, text) is
  'What became of the newest job that looks for events in a revision, by default the latest: status (PENDING, PROCESSING, DONE or FAILED), attempts that count, times in UTC, the last error and the result. Needs read access.';
comment on function memento.estimate_extract(text, text) is
  'What looking for events in a revision would cost, or in the latest of all documents of the current project: calls of the model and tokens. Nothing by rules. Needs read access.';
comment on function memento.set_event_extractor(text) is
  'Lets a chat profile look for events in the documents of the current project, from the next job on; null or rules for the patterns that need no model. Needs admin access.';
comment on function memento.set_extraction_prompt(text, text) is
  'Overrides what the model is told in the current project: extract, canonicalise or repair. Each call adds a version; null goes back to the built-in text. Needs admin access.';
comment on function memento.extraction_prompts() is
  'What the model that looks for events is told in the current project: name, version (0 for the built-in text) and template. Needs read access.';
comment on function memento.chat_profiles_upsert(text, text, text, jsonb) is
  'Makes a chat profile, or changes one: the model that looks for events where set_event_extractor() says so. The config is checked. For superusers, because it says which hosts are called and which keys are used.';
comment on function memento.chat_profiles_list() is
  'All chat profiles, and which of them looks for events in the current project. Needs read access.';
