-- $1 project, $2 tokens or null for no budget, $3 period, $4 role
with gone as (
  delete from memento.budget b where b.project_id = $1 and $2::bigint is null
  returning memento._free_jobs(b.project_id, b.spent_until)
)
insert into memento.budget (project_id, max_tokens, period, changed_by)
select $1, $2::bigint, $3::text, pg_catalog.pg_get_userbyid($4) where $2::bigint is not null
on conflict (project_id) do update
   set max_tokens = excluded.max_tokens, period = excluded.period, counted_at = '-infinity', changed_at = pg_catalog.clock_timestamp(),
       changed_by = excluded.changed_by
