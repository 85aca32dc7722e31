-- $1 project; nothing if there is an item of that identity, after waiting for one that is being written
insert into memento.item (project_id, kind, title, tags, source_system, source_id, metadata, scope, doc_class, sensitivity,
                          visibility, retention, canonical_key)
values ($1, $2::text, $3::text, $4::text[], $5::text, $6::text, $7::jsonb, $8::text, $9::text, $10::text, $11::text, $12::text,
        $13::text)
on conflict do nothing
returning item_id
