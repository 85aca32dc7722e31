-- Chunks: what is searched. Each is an exact span of its version's content.

create table memento.domain_term (
  project_id uuid not null references memento.project on delete cascade,
  term text not null,
  is_used boolean not null,
  changed_at timestamptz not null default pg_catalog.now(),
  primary key (project_id, term),
  constraint domain_term_form check (term ~ '\S' and pg_catalog.char_length(term) <= 100)
);
comment on table memento.domain_term is 'Where a project''s terms differ from those that every project begins with. Written by add_domain_terms() and remove_domain_terms().';
comment on column memento.domain_term.project_id is 'The project.';
comment on column memento.domain_term.term is 'In lower case, with one blank between words.';
comment on column memento.domain_term.is_used is 'True for a term that was added, false for one that was removed.';
comment on column memento.domain_term.changed_at is 'When that was.';

create sequence memento.chunk_id_seq as bigint;
comment on sequence memento.chunk_id_seq is 'Keys of chunks.';

-- The parser of the server takes a.b/c-d for one word, a host, a file or a compound, and finds none of its parts: marks that join
-- words become blanks. What is joined is found by its parts, and exactly by its technical token.
create function memento._words(content text) returns tsvector
  language sql immutable strict parallel safe
  return pg_catalog.to_tsvector('pg_catalog.english'::regconfig, pg_catalog.translate(content, '/.:=@-_', '       '));
comment on function memento._words(text) is 'internal: the words of a text as full-text search knows them';

create table memento.chunk (
  project_id uuid not null,
  version_id uuid not null,
  chunk_id bigint not null default pg_catalog.nextval('memento.chunk_id_seq'),
  ordinal int not null,
  start_char int not null,
  end_char int not null,
  token_count int not null,
  block_kind text not null,
  section_anchor text,
  heading_path text[] not null default '{}',
  chunk_text text not null,
  tech_tokens text[] not null,
  speakers text[],
  rules_version int not null,
  terms_version int not null,
  -- Derived, so that it cannot differ from the text and need not be dumped.
  tsv tsvector not null generated always as (memento._words(chunk_text)) stored,
  primary key (project_id, chunk_id),
  constraint chunk_version_id_fkey foreign key (project_id, version_id) references memento.version on delete cascade,
  constraint chunk_version_id_ordinal_key unique (project_id, version_id, ordinal),
  constraint chunk_span_form check (start_char >= 0 and end_char > start_char),
  constraint chunk_token_count_positive check (token_count > 0)
);
alter sequence memento.chunk_id_seq owned by memento.chunk.chunk_id;
comment on table memento.chunk is 'A span of a version''s content: substr(content, start_char + 1, end_char - start_char) = chunk_text.';
comment on column memento.chunk.project_id is 'The project.';
comment on column memento.chunk.version_id is 'The version.';
comment on column memento.chunk.chunk_id is 'Key of the chunk; breaks ties in every ranking.';
comment on column memento.chunk.ordinal is 'Its place in the version, from 0.';
comment on column memento.chunk.start_char is 'Offset of its first character, in Unicode code points from 0.';
comment on column memento.chunk.end_char is 'Offset after its last character.';
comment on column memento.chunk.token_count is 'Its tokens, exactly, in the vocabulary cl100k_base.';
comment on column memento.chunk.block_kind is 'What it consists of: paragraph, list, code, table, quote, html, front_matter, rule, heading, or mixed.';
comment on column memento.chunk.section_anchor is 'Anchor of the section that it is in; null outside of sections.';
comment on column memento.chunk.heading_path is 'Headings above it, outermost first.';
comment on column memento.chunk.chunk_text is 'The exact text.';
comment on column memento.chunk.tech_tokens is 'Its technical tokens and the project''s terms in it, in their normal form, sorted and unique.';
comment on column memento.chunk.speakers is 'Who speaks in it, in lower case, sorted and unique, where it is of a conversation (kind chat or transcript); null where nobody is known to.';
comment on column memento.chunk.rules_version is 'The rules that tech_tokens were made by.';
comment on column memento.chunk.terms_version is 'The terms_version of the project that tech_tokens were made by.';
comment on column memento.chunk.tsv is 'Its words, for full-text search.';
-- Ranking reads the words of every candidate, and the text of the few that are shown: the text is what moves out of the row.
alter table memento.chunk alter column tsv set storage main;
-- With the pending list, which is read by each search: 2,000 chunks in it cost 0.4 ms, and without it writing takes longer.
create index chunk_tsv_idx on memento.chunk using gin (tsv);
create index chunk_tech_tokens_idx on memento.chunk using gin (tech_tokens);
create index chunk_speakers_idx on memento.chunk using gin (speakers) where speakers is not null;
