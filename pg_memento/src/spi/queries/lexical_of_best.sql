-- After wanted_items.sql and best: $19 as_of, $20 limit. A key begins with the project, so what is of another is not found.
select b.chunk_id, b.score, (select count(*) from best)
  from best b
  join memento.version v on v.project_id = $1 and v.version_id = b.version_id
  join wanted i on i.item_id = v.item_id
 where b.score > 0
   and case when $19::timestamptz is null then v.is_latest
            else v.created_at <= $19 and (v.superseded_at is null or v.superseded_at > $19) end
 order by b.score desc, b.chunk_id
 limit $20
