-- After wanted_items.sql and best: $21 as_of, $22 limit. A key begins with the project, so what is of another is not found.
select b.chunk_id, b.score, (select count(*) from best), (select min(l.score) from best l)
  from best b
  join memento.version v on v.project_id = $1 and v.version_id = b.version_id
  join wanted i on i.item_id = v.item_id
 where b.score > 0
   and ($17 is null and $18 is null or exists (select from wanted_chunk c where c.chunk_id = b.chunk_id))
   and case when $21::timestamptz is null then v.is_latest
            else v.created_at <= $21 and (v.superseded_at is null or v.superseded_at > $21) end
 order by b.score desc, b.chunk_id
 limit $22
