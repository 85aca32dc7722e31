-- $1 project, $2 item, $3 pinned, $4 archived, $5 resolved; null leaves as it is. What is kept until it is resolved expires then.
update memento.item i
   set pinned = coalesce($3::boolean, i.pinned),
       archived_at = case when $4::boolean is null then i.archived_at
                          when $4 then coalesce(i.archived_at, pg_catalog.clock_timestamp()) end,
       resolved_at = s.resolved_at,
       expires_at = case when i.retention = 'until_resolved' then s.resolved_at else i.expires_at end
  from (select case when $5::boolean is null then o.resolved_at
                    when $5 then coalesce(o.resolved_at, pg_catalog.clock_timestamp()) end as resolved_at
          from memento.item o where o.project_id = $1 and o.item_id = $2) s
 where i.project_id = $1 and i.item_id = $2
returning pg_catalog.jsonb_build_object(
  'item_id', i.item_id, 'pinned', i.pinned, 'status', case when i.archived_at is null then 'active' else 'archived' end,
  'archived_at', i.archived_at, 'resolved_at', i.resolved_at, 'expires_at', i.expires_at)
