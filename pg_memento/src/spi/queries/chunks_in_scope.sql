-- After wanted_items.sql: $19 as_of. Only planned, for the number of rows.
select
  from wanted i
  join memento.version v on v.project_id = $1 and v.item_id = i.item_id
  join wanted_chunk c on c.version_id = v.version_id
 where case when $19::timestamptz is null then v.is_latest
            else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
