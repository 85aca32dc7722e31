insert into memento.item (project_id, kind, title, tags, source_system, source_id, metadata)
values ($1, $2::text, $3::text, $4::text[], $5::text, $6::text, $7::jsonb)
returning item_id
