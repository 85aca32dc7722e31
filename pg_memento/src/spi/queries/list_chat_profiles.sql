-- $1 project
select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
         'profile_id', c.profile_id, 'name', c.name, 'provider', c.provider, 'model', c.model, 'endpoint', c.endpoint, 'created_at', c.created_at,
         'extracts_events', c.profile_id is not distinct from p.event_profile_id) order by c.name), '[]')
  from memento.chat_profile c, memento.project p
 where p.project_id = $1
