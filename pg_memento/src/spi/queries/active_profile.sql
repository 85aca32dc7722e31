-- $1 project, $2 another profile than its own, or null
select e.profile_id, e.provider, e.model, e.dims, e.config, e.endpoint
  from memento.project p join memento.embedding_profile e on e.profile_id = coalesce($2::uuid, p.active_profile_id)
 where p.project_id = $1
