-- $1 project, $2 version: a job for each profile that the project uses
insert into memento.job (project_id, kind, lane, version_id, profile_id, dedup_key, claimable_at)
select $1, 'embed', 'embed:' || u.profile_id, $2, u.profile_id, $2::text || ':' || u.profile_id,
       case when exists (select from memento.queue_pause q where q.project_id = $1 and q.kind in ('embed', '*'))
            then 'infinity'::timestamptz else pg_catalog.clock_timestamp() end
  from memento.project p
 cross join lateral (values (p.active_profile_id), (p.candidate_profile_id)) as u(profile_id)
 where p.project_id = $1 and u.profile_id is not null
on conflict do nothing
