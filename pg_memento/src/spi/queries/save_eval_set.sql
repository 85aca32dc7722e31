-- $1 project, $2 role, $3 name, $4 queries
insert into memento.eval_set as s (project_id, name, saved_by, queries)
values ($1, $3::text, pg_catalog.pg_get_userbyid($2), $4::jsonb)
on conflict (project_id, name) do update
   set queries = excluded.queries, saved_by = excluded.saved_by, saved_at = excluded.saved_at
