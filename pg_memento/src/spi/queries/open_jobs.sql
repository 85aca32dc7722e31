-- $1 project, $2 kinds that workers do: whether one is left that a worker will do without being asked. Not one that a pause or a budget
-- holds back, nor one that waits for a model which is not there. One that waits for a pause which is over is let go by the next worker.
select exists (
  select from memento.job j
   where j.project_id = $1 and j.claimable_at < 'infinity' and j.state in ('pending', 'running') and j.kind = any ($2::text[])
     and (j.state = 'running' or memento._waits_until(j.project_id, j.lane, '-infinity') = '-infinity')
     and not exists (
       select from memento.embedding_profile p join memento.endpoint_pause e on e.endpoint = p.endpoint
        where p.profile_id = j.profile_id and j.kind <> 'build_index' and e.paused_until > pg_catalog.clock_timestamp()
          and pg_catalog.starts_with(e.code, 'MODEL_')))
    or exists (select from memento._overlooked_lanes() o where o.project_id = $1 and pg_catalog.split_part(o.lane, ':', 1) = any ($2::text[]))
