-- $1 project, $2 ids, $3 texts: each an item with one version of one chunk
with project as (
  select project_id from memento.project where name = $1
), document as materialized (
  select project_id, d.n, d.id, d.text, gen_random_uuid() as item_id, gen_random_uuid() as version_id, gen_random_uuid() as commit_id
    from project, unnest($2::text[], $3::text[]) with ordinality d(id, text, n)
), item as (
  insert into memento.item (project_id, item_id, title) select project_id, item_id, id from document
), commit as (
  insert into memento.commit (project_id, commit_id, created_by, operation) select project_id, commit_id, current_user, 'remember' from document
), version as (
  insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content_hash, content)
  select project_id, version_id, item_id, 1, commit_id, sha256(convert_to(text, 'UTF8')), text from document
)
insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text, tech_tokens, rules_version, terms_version)
select project_id, version_id, 0, 0, char_length(text), greatest(1, char_length(text) / 4), 'paragraph', text, '{}', 1, 1
  from document order by n
