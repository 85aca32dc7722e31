-- $1 project, $2 when; now if null, $3 how many at most
select i.item_id, i.title, i.retention, i.expires_at
  from memento.item i
 where i.project_id = $1 and i.expires_at <= coalesce($2::timestamptz, pg_catalog.clock_timestamp())
 order by i.expires_at, i.item_id
 limit $3::int
