-- $1 project, $2 job, $3 whether to try it again or else to cancel it. The job is locked before it is looked at. One that is over may have
-- an open successor, asked for in its place since: that one does its work.
with found as (
  select j.project_id, j.job_id, j.state, j.kind, j.dedup_key from memento.job j where j.project_id = $1 and j.job_id = $2 for update
), successor as (
  select o.job_id
    from found f
    join memento.job o on o.project_id = f.project_id and o.kind = f.kind and o.dedup_key = f.dedup_key
   where $3 and o.claimable_at is not null and o.job_id <> f.job_id
), changed as (
  update memento.job j
     set state = case when $3 then 'pending' else 'cancelled' end,
         claimable_at = case when $3 then memento._waits_until($1, j.lane, pg_catalog.clock_timestamp() - j.priority * interval '1 minute') end,
         finished_at = case when not $3 then pg_catalog.clock_timestamp() end,
         failed_at = null, lease_until = null, claimed_by = null,
         failures = case when $3 then 0 else j.failures end,
         lost_leases = case when $3 then 0 else j.lost_leases end
    from found f
   where j.project_id = f.project_id and j.job_id = f.job_id
     and f.state = any (case when $3 then array['failed', 'cancelled', 'pending'] else array['pending', 'running'] end)
     and not exists (select from successor)
  returning j.state
)
select f.state, c.state, s.job_id from found f left join changed c on true left join successor s on true
