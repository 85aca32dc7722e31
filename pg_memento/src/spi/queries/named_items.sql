-- $1 project, $2 items: those that exist, as a context shows them
select i.item_id,
       pg_catalog.jsonb_build_object('item_id', i.item_id, 'title', i.title, 'kind', i.kind, 'version_num', v.version_num,
                                     'excerpt', pg_catalog.left(v.content, 300))
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
 where i.project_id = $1 and i.item_id = any ($2::uuid[])
