-- $1 project, $2 kind or *. A kind that is still paused by itself, or with all, stays so, and a budget holds.
with resumed as (
  delete from memento.queue_pause p where p.project_id = $1 and p.kind = $2::text
), freed as (
  update memento.job j set claimable_at = greatest(pg_catalog.clock_timestamp() - j.priority * interval '1 minute',
                              (select b.spent_until from memento.budget b where b.project_id = $1 and memento._calls_model(j.lane)))
   where j.project_id = $1 and j.state = 'pending' and j.claimable_at = 'infinity' and memento._pause_covers($2::text, j.kind)
     and not exists (select from memento.queue_pause p
                      where p.project_id = $1 and p.kind <> $2::text and memento._pause_covers(p.kind, j.kind))
  returning 1
)
select pg_catalog.count(*) from freed
