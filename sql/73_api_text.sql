comment on function memento.chunk_markdown(text, int, int, int, text) is
  'Cuts a Markdown document, or plain text, into chunks: contiguous runs of blocks under one heading, each an exact span of the content. A heading stays with what follows it; code and tables stay whole while they fit in max_tokens; what does not fit is cut by items, lines, sentences or words, never inside a grapheme cluster. overlap_tokens repeats whole blocks or sentences at the start of the next chunk of a section. For the kinds action_items and decisions each item is a chunk of its own. token_count is exact for cl100k_base.';
comment on function memento.outline(text) is
  'The sections of a Markdown document: each heading with the text up to the next heading. section_anchor is unique in the document, as GitHub makes it.';
comment on function memento.count_tokens(text) is
  'How many tokens a text has, exactly, in the vocabulary cl100k_base.';
comment on function memento.chunk_transcript(jsonb, int, int, int) is
  'Cuts a conversation into chunks of whole turns. turns is an array of objects with text and, if known, speaker, start_ts_ms and end_ts_ms. Offsets are in the rendered conversation: one line for each turn that has text, "speaker: text". A turn that is too long for a chunk is cut by blocks and sentences. speaker is the one who says more than half of the chunk, or MULTI; times are the earliest and the latest of its turns, which count from 0. turns has each of them: its number, speaker, span and times.';
comment on function memento.tech_tokens(text) is
  'The technical tokens of a text in their normal form, sorted and unique: identifiers, error codes, tickets, versions, hashes, addresses, host names, paths and the like. The same rules read documents and queries.';
comment on function memento.tech_token_spans(text) is
  'The technical tokens of a text with their kind and where they stand. A long one, such as a path or a qualified name, is followed by its parts.';
comment on function memento.analyze_query(text) is
  'What a query tells without a model: intent (decision, action_items, who_said, troubleshooting, status or auto), weight_profile (default, technical, conversational, code) with its weights, tech_tokens, and date_range, the first time that it mentions, from the first day to the one after the last, with the words that say so. Relative times count from today in the session''s time zone. The first 4,096 bytes are looked at.';
comment on function memento.domain_terms() is
  'The terms of the current project: words that look like prose and are found exactly all the same. Needs read access.';
comment on function memento.add_domain_terms(text[]) is
  'Adds terms to the current project and returns how many were new. Chunks that exist get them by backfill_tech_tokens(). Needs admin access.';
comment on function memento.remove_domain_terms(text[]) is
  'Removes terms, also those that every project begins with, from the current project and returns how many there were. Needs admin access.';
comment on function memento.backfill_tech_tokens(bigint) is
  'Makes the technical tokens of chunks anew that were made by older rules or other terms, of at most max_chunks, and returns of how many: 0 when all are up to date. Needs write access.';
