-- $1 project, $2 version: those who chunk it take turns, and it is not erased meanwhile. Nobody is waited for: the job comes back later.
select v.content, i.kind
  from memento.version v
  join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
 where v.project_id = $1 and v.version_id = $2
   for no key update of v nowait
