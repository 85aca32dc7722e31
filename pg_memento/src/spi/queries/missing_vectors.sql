-- $1 project, $2 profile: how many chunks of latest versions have no vector
select pg_catalog.count(*)
  from memento.version v
  join memento.chunk c on c.project_id = v.project_id and c.version_id = v.version_id
 where v.project_id = $1 and v.is_latest
   and not exists (select from memento.chunk_embedding e
                    where e.project_id = c.project_id and e.chunk_id = c.chunk_id and e.profile_id = $2)
