-- $1 project, $2 version: a job for each profile that the project uses. One that is running may be about to end with the chunks that
-- were there before: it looks again. An hour ahead of what a profile is filled with, which may take long.
insert into memento.job as j (project_id, kind, lane, version_id, profile_id, dedup_key, claimable_at)
select $1, 'embed', 'embed:' || u.profile_id, $2, u.profile_id, $2::text || ':' || u.profile_id,
       memento._waits_until($1, 'embed:' || u.profile_id, pg_catalog.clock_timestamp() - interval '1 hour')
  from memento.project p
 cross join lateral (values (p.active_profile_id), (p.candidate_profile_id)) as u(profile_id)
 where p.project_id = $1 and u.profile_id is not null
on conflict (project_id, kind, dedup_key) where claimable_at is not null and dedup_key is not null
do update set run_again = true where j.state = 'running'
