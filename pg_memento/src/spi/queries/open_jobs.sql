-- $1 project, $2 kinds that workers do: whether one is left that a worker will do without being asked
select exists (
  select from memento.job j
   where j.project_id = $1 and j.claimable_at < 'infinity' and j.state in ('pending', 'running') and j.kind = any ($2::text[]))
