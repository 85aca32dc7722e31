-- $1 project, $2 item, $3 pinned, $4 archived; null leaves as it is
update memento.item i
   set pinned = coalesce($3::boolean, i.pinned),
       archived_at = case when $4::boolean is null then i.archived_at
                          when $4 then coalesce(i.archived_at, pg_catalog.clock_timestamp()) end
 where i.project_id = $1 and i.item_id = $2
returning pg_catalog.jsonb_build_object(
  'item_id', i.item_id, 'pinned', i.pinned, 'status', case when i.archived_at is null then 'active' else 'archived' end,
  'archived_at', i.archived_at)
