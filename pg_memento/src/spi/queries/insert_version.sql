-- $1 project, $2 item, $3 number, $4 content, $5 commit, or null for one of its own: $6 the role, $7 what it does; $8 when the
-- version before it ended. What is kept for a time is kept for that time from now on.
with audit as (
  insert into memento.commit (project_id, created_by, operation)
  select $1, pg_catalog.pg_get_userbyid($6), $7::text where $5::uuid is null
  returning commit_id
),
kept as (
  update memento.item i
     set expires_at = coalesce($8::timestamptz, pg_catalog.clock_timestamp()) + i.keep_for
   where i.project_id = $1 and i.item_id = $2 and i.keep_for is not null
)
insert into memento.version (project_id, item_id, version_num, content, content_hash, commit_id, created_at)
values ($1, $2, $3, $4::text, pg_catalog.sha256(pg_catalog.convert_to($4::text, 'UTF8')),
        coalesce($5, (select a.commit_id from audit a)), coalesce($8, pg_catalog.clock_timestamp()))
returning version_id
