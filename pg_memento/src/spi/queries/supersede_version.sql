update memento.version
   set is_latest = false, superseded_at = pg_catalog.clock_timestamp()
 where project_id = $1 and item_id = $2 and is_latest
returning superseded_at
