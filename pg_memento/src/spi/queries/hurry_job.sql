-- $1 project, $2 job: one that waits after failures is due now, as if it were new. Not in a queue that is paused.
update memento.job j
   set claimable_at = pg_catalog.clock_timestamp() - j.priority * interval '1 minute', failures = 0, lost_leases = 0
 where j.project_id = $1 and j.job_id = $2 and j.state = 'pending' and j.claimable_at < 'infinity'
   and (j.failures > 0 or j.claimable_at > pg_catalog.clock_timestamp())
returning j.job_id
