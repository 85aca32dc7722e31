-- $1 project
select pg_catalog.jsonb_build_object(
         'profile', (select pg_catalog.jsonb_build_object('name', p.name, 'provider', p.provider, 'model', p.model, 'dims', p.dims)
                       from memento.embedding_profile p where p.profile_id = u.active_profile_id),
         'index', memento._index_state(u.active_profile_id),
         'chunks', n.chunks, 'embedded', n.embedded,
         'jobs', (select coalesce(pg_catalog.jsonb_object_agg(s.state, s.jobs), '{}')
                    from (select j.state, pg_catalog.count(*) as jobs from memento.job j
                           where j.project_id = $1 and j.kind = 'embed' and (j.claimable_at is not null or j.failed_at is not null)
                           group by j.state) s),
         'endpoint_paused_until', e.paused_until, 'endpoint_paused_for', e.code || ': ' || e.reason,
         'last_failure', (select pg_catalog.jsonb_build_object('at', l.called_at, 'code', l.outcome) from memento.usage_ledger l
                           where l.project_id = $1 and l.role = 'embed' and l.outcome <> 'ok'
                           order by l.called_at desc limit 1))
  from memento.project u
  left join memento.embedding_profile p on p.profile_id = u.active_profile_id
  left join memento.endpoint_pause e on e.endpoint = p.endpoint and e.paused_until > pg_catalog.now()
 cross join lateral (
   select pg_catalog.count(*) as chunks, pg_catalog.count(v2.chunk_id) as embedded
     from memento.version v
     join memento.chunk c on c.project_id = v.project_id and c.version_id = v.version_id
     left join memento.chunk_embedding v2
       on v2.project_id = c.project_id and v2.chunk_id = c.chunk_id and v2.profile_id = u.active_profile_id
    where v.project_id = $1 and v.is_latest) n
 where u.project_id = $1
