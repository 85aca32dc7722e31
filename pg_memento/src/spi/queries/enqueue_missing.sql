-- $1 project, $2 profile: a job for each latest version that has a chunk without a vector. One that is running may have been about
-- to end without storing anything: it looks again.
with asked as (
  insert into memento.job as j (project_id, kind, lane, version_id, profile_id, dedup_key, claimable_at)
  select v.project_id, 'embed', 'embed:' || $2::uuid, v.version_id, $2::uuid, v.version_id::text || ':' || $2::uuid,
         -- A pause holds.
         case when exists (select from memento.queue_pause q where q.project_id = $1 and q.kind in ('embed', '*'))
              then 'infinity'::timestamptz else pg_catalog.clock_timestamp() end
    from memento.version v
   where v.project_id = $1 and v.is_latest
     and exists (select from memento.chunk c
                  where c.project_id = v.project_id and c.version_id = v.version_id
                    and not exists (select from memento.chunk_embedding e
                                     where e.project_id = c.project_id and e.chunk_id = c.chunk_id and e.profile_id = $2))
  on conflict (project_id, kind, dedup_key) where claimable_at is not null and dedup_key is not null
  do update set run_again = j.state = 'running'
  returning 1
)
select pg_catalog.count(*) from asked
