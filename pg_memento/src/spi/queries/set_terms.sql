-- $1 project, $2 terms in their normal form, $3 whether they are used
with changed as (
  insert into memento.domain_term (project_id, term, is_used)
  select $1, term, $3::boolean from unnest($2::text[]) as term
  on conflict (project_id, term) do update set is_used = excluded.is_used, changed_at = pg_catalog.now()
)
update memento.project set terms_version = terms_version + 1 where project_id = $1
