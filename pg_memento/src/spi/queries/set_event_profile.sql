-- $1 project, $2 chat profile, null for rules. What waits goes to the new lane.
with changed as (
  update memento.project p set event_profile_id = $2::uuid where p.project_id = $1 returning p.project_id
)
update memento.job j set lane = 'extract_events' || coalesce(':' || $2::uuid::text, '')
  from changed c
 where j.project_id = c.project_id and j.kind = 'extract_events' and j.state = 'pending'
returning j.job_id
