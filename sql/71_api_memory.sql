-- recall() is search() under the name that the other two of the first three lines suggest.
create function memento.recall(query text, k int default 10, filters jsonb default '{}')
  returns table (
    chunk_id bigint, item_id uuid, version_num int, title text, kind text, heading_path text[],
    section_anchor text, start_char int, end_char int, excerpt text, score float8, lanes jsonb
  )
  language sql stable parallel unsafe rows 10
  set search_path = pg_catalog, pg_temp
begin atomic
  select * from memento.search(query, k, filters, null);
end;

comment on function memento.remember(text, text, text, text[], text, text, jsonb, text, text, text, text, text, text, text, text[]) is
  'Stores a text as a memory of the current project, chunked and searchable when it returns. The same source_system and source_id again: nothing happens if the content is the same, else it is the next version (title, kind, tags and metadata stay those of the first). Returns status (created, updated, unchanged), item_id, version_id, version_num, the number of chunks, and secrets, the kinds of keys and passwords that were found in it, if any: see set_secret_policy(). Content above memento.max_inline_size is chunked by a job: then chunking is pending, and job_id names the job. Needs write access.';
comment on function memento.search(text, int, jsonb, timestamptz) is
  'The k best chunks of the current project for a query, best first, from the latest versions or from those that were live at as_of. Filters: kinds, scopes, doc_classes, tags_any, tags_all, sensitivities, visibility_scopes, source_systems, item_ids, exclude_item_ids, speakers, entities, pinned_only, canonical_only, created_after, created_before; all must hold, and an empty list of what is wanted matches nothing. Archived items are left out, unless they were archived after as_of. lanes says which kind of search found a chunk, and at which rank. Needs read access.';
comment on function memento.recall(text, int, jsonb) is
  'What is remembered about something: the k best chunks of the current project, as search() gives them. Needs read access.';
comment on function memento.memory_get(uuid, int, timestamptz) is
  'An item of the current project with its latest version, or with that of a number, or with the one that was live at a time. Needs read access.';
comment on function memento.memory_history(uuid, int, int) is
  'The versions of an item, newest first, without their content: at most max_versions, before a version number. next_before is where the next page begins, null on the last. Needs read access.';
comment on function memento.memory_restore(uuid, int) is
  'Makes what an old version says the newest version of the item: a new one, the history stays. Returns what remember() does, with the status restored, or unchanged if the newest says the same. Needs write access.';
comment on function memento.memory_pin(uuid) is 'Pins an item. Needs write access.';
comment on function memento.memory_unpin(uuid) is 'Unpins an item. Needs write access.';
comment on function memento.memory_archive(uuid, boolean) is
  'Leaves an item out of searches, or brings it back with archived => false. Its content is kept. Needs write access.';
comment on function memento.forget(uuid, text, text, boolean, boolean, text, text) is
  'Erases an item, the item of a source, all items from a source_system with whole_source, all items with a subject (a person who is their author or took part, whatever the case of the letters), the turns of a conversation, or all of the current project with whole_project: content, versions, chunks, vectors, jobs and whatever else refers to them, for good, in one transaction. Returns a receipt with counts, for verify_forgotten(). Needs write access, admin for whole_project.';
comment on function memento.verify_forgotten(uuid) is
  'Whether nothing is left of what a receipt of forget() says was erased: the rows that remain, table by table. Needs read access.';
comment on function memento.set_secret_policy(text) is
  'What remember() does in the current project with content that has keys or passwords in it: ignore, warn (the default: the result says so), redact (they are replaced by [REDACTED:kind]) or refuse. Needs admin access.';
comment on function memento.memory_diff(uuid, int, int, int) is
  'What changed from one version of an item to another, by default the latest: unified text, and for each change the words that were deleted and inserted. Needs read access.';
comment on function memento.memory_diff_lines(uuid, int, int) is
  'The lines of two versions of an item: equal, delete or insert, with their numbers from 1 and their line ends. Needs read access.';
comment on function memento.memory_commit(jsonb, text, uuid, text) is
  'Stores several memories of the current project together, all or none. entries is an array of objects with the arguments of remember() as keys. The same idempotency_key with the same request gives the first result again, with replayed true, and stores nothing; with another request it is refused. Returns commit_id and, in results, what remember() returns for each entry. Needs write access.';
comment on function memento.sessions_start(text, jsonb) is
  'Begins a session, to which commits can belong, and returns its session_id. Needs write access.';
comment on function memento.sessions_end(uuid, text) is
  'Ends a session with a summary and returns it with the number of its commits. Ending it again changes only the summary. Needs write access.';
comment on function memento.memory_list(jsonb, int, text, boolean) is
  'Items of the current project, newest first, without their content: at most max_items that the filters of search() keep. next_after is where the next page begins, null on the last. The first page has the total, counted up to 10,000; total_is_exact says whether there are more. Needs read access.';
comment on function memento.canonical_upsert(text, text, text, text, text[]) is
  'Stores the canonical document of a key: a new one, or the next version; nothing happens if the content is the same. Title, doc class and tags follow what is given. Returns what remember() does. Needs write access.';
comment on function memento.canonical_get(text, int) is
  'The canonical document of a key, as memory_get() shows an item: the latest version, or that of a number. Needs read access.';
comment on function memento.canonical_outline(text, int) is
  'The sections of a canonical document, as outline() gives them. Needs read access.';
comment on function memento.canonical_get_section(text, text, boolean, int) is
  'One section of a canonical document, as an exact slice of it: the heading with the text up to the next heading, or by default with all sections below it. Needs read access.';
comment on function memento.canonical_context_pack(int, text, text[]) is
  'What of the canonical documents fits in a budget of tokens: the best chunks for a query, or without one the first of each document, in the order of the documents; left_out says what did not fit. Needs read access.';
comment on function memento.memory_link(uuid, uuid, text, jsonb) is
  'Says that one item of the current project has to do with another, for example that it supersedes it. Said again, only the metadata is new. Needs write access.';
comment on function memento.memory_resolve(uuid, boolean) is
  'Says that an item is resolved, or with resolved => false that it is not. What is kept until_resolved is erased then, by the next round of retention. Needs write access.';
comment on function memento.retention_due(timestamptz, int) is
  'What retention will erase of the current project by a time, without erasing anything: the items whose time is over, the first ones first. Needs read access.';
comment on function memento._apply_retention(int) is
  'worker: erases at most so many items whose retention is over, in all projects, each with a receipt, and returns how many';
comment on function memento.enable_bm25(boolean) is
  'Builds the BM25 index of pg_search or pg_textsearch, whichever is installed, and says so; searches use it from then on. An index that is there is kept unless rebuild. Writes wait while it is built. For superusers.';
comment on function memento.disable_bm25() is
  'Drops the index that enable_bm25() has made, and says so; full-text search ranks from then on. For superusers.';
