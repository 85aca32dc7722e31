-- $1 project, $2 source system, $3 source id, $4 canonical key, $5 content
select i.item_id, v.version_id, v.version_num,
       v.content_hash = pg_catalog.sha256(pg_catalog.convert_to($5::text, 'UTF8'))
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
 where i.project_id = $1
   and (($2::text is not null and i.source_system = $2 and i.source_id = $3::text)
        or ($4::text is not null and i.canonical_key = $4))
