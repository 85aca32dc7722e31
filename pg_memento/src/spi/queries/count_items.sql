-- After wanted_items.sql: $19 how far to count
select count(*) from (
  select from wanted i
   where $17 is null and $18 is null
      or exists (select from memento.version l join wanted_chunk c on c.version_id = l.version_id
                  where l.project_id = $1 and l.item_id = i.item_id and l.is_latest)
   limit $19::bigint
) counted
