insert into memento.version (project_id, item_id, version_num, content, content_hash)
values ($1, $2, $3, $4::text, pg_catalog.sha256(pg_catalog.convert_to($4::text, 'UTF8')))
returning version_id
