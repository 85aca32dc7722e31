-- $1 project, $2 kind or *, $3 role, $4 reason
with pause as (
  insert into memento.queue_pause (project_id, kind, paused_by, reason)
  values ($1, $2::text, pg_catalog.pg_get_userbyid($3), $4::text)
  on conflict (project_id, kind) do update set reason = excluded.reason
), parked as (
  update memento.job j set claimable_at = 'infinity'
   where j.project_id = $1 and j.state = 'pending' and memento._pause_covers($2::text, j.kind)
  returning 1
)
select pg_catalog.count(*) from parked
