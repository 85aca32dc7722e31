-- $1 project, $2 kind, $3 version, $4 dedup key, $5 payload. One that is open already is asked to run once more if it is running.
insert into memento.job as j (project_id, kind, lane, version_id, dedup_key, payload, claimable_at)
select $1, $2::text, l.lane, $3::uuid, $4::text, $5::jsonb, memento._waits_until($1, l.lane, pg_catalog.clock_timestamp())
  from memento._lane($1, $2::text) l(lane)
on conflict (project_id, kind, dedup_key) where claimable_at is not null and dedup_key is not null
do update set run_again = j.state = 'running'
returning job_id
