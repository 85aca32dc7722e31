-- $1 project, $2 job, $3 whether to try it again or else to cancel it. The job is locked before it is looked at.
with found as (
  select j.project_id, j.job_id, j.state from memento.job j where j.project_id = $1 and j.job_id = $2 for update
), changed as (
  update memento.job j
     set state = case when $3 then 'pending' else 'cancelled' end,
         claimable_at = case when $3 then pg_catalog.clock_timestamp() - j.priority * interval '1 minute' end,
         finished_at = case when not $3 then pg_catalog.clock_timestamp() end,
         lease_until = null, claimed_by = null,
         failures = case when $3 then 0 else j.failures end,
         lost_leases = case when $3 then 0 else j.lost_leases end
    from found f
   where j.project_id = f.project_id and j.job_id = f.job_id
     and f.state = any (case when $3 then array['failed', 'cancelled', 'pending'] else array['pending', 'running'] end)
  returning j.state
)
select f.state, c.state from found f left join changed c on true
