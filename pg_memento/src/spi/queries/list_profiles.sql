-- $1 project. Chunks of latest versions: all of them, and those that have a vector by the profile.
select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
         'profile_id', p.profile_id, 'name', p.name, 'provider', p.provider, 'model', p.model, 'dims', p.dims,
         'distance', p.distance, 'provider_config', p.config,
         'is_active', p.profile_id is not distinct from u.active_profile_id,
         'is_candidate', p.profile_id is not distinct from u.candidate_profile_id,
         'chunks', n.chunks, 'embedded', n.embedded, 'index', memento._index_state(p.profile_id)) order by p.name), '[]')
  from memento.embedding_profile p
  join memento.project u on u.project_id = $1
 cross join lateral (
   select pg_catalog.count(*) as chunks, pg_catalog.count(e.chunk_id) as embedded
     from memento.version v
     join memento.chunk c on c.project_id = v.project_id and c.version_id = v.version_id
     left join memento.chunk_embedding e
       on e.project_id = c.project_id and e.chunk_id = c.chunk_id and e.profile_id = p.profile_id
    where v.project_id = $1 and v.is_latest) n
