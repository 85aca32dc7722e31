-- $1 project, $2 items: what is linked with them, either way. An item that everything is linked with tells nothing.
select l.item_id, l.other_id
  from pg_catalog.unnest($2::uuid[]) i(item_id)
 cross join lateral (
   (select i.item_id, f.to_item_id as other_id from memento.link f where f.project_id = $1 and f.from_item_id = i.item_id
     order by f.to_item_id limit 20)
   union
   (select i.item_id, t.from_item_id from memento.link t where t.project_id = $1 and t.to_item_id = i.item_id
     order by t.from_item_id limit 20)) l
 order by l.item_id, l.other_id
