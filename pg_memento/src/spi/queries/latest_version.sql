-- $1 project, $2 item, $3 content
select v.version_id, v.version_num,
       v.content_hash = pg_catalog.sha256(pg_catalog.convert_to($3::text, 'UTF8'))
  from memento.version v
 where v.project_id = $1 and v.item_id = $2 and v.is_latest
