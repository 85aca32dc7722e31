-- $1 project, $2 chat profile, null for rules. What waits goes to the new lane, and waits there for what that lane waits for: rules cost
-- nothing, so what a budget held back goes on.
with changed as (
  update memento.project p set event_profile_id = $2::uuid where p.project_id = $1 returning p.project_id
)
update memento.job j
   set lane = l.lane,
       claimable_at = memento._waits_until($1, l.lane,
         case when j.claimable_at = (select b.spent_until from memento.budget b where b.project_id = $1) then pg_catalog.clock_timestamp()
              else j.claimable_at end)
  from changed c
 cross join (select 'extract_events' || coalesce(':' || $2::uuid::text, '') as lane) l
 where j.project_id = c.project_id and j.kind = 'extract_events' and j.state = 'pending'
returning j.job_id
