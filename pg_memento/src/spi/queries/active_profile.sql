-- $1 project
select e.profile_id, e.provider, e.model, e.dims, e.config, e.endpoint
  from memento.project p join memento.embedding_profile e on e.profile_id = p.active_profile_id
 where p.project_id = $1
