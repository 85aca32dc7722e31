-- $1 name
select p.profile_id, p.provider, p.model, p.dims, p.distance, p.config
  from memento.embedding_profile p where p.name = $1::text
