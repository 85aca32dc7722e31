-- $1 project, $2 from, $3 to, $4 relation, $5 role, $6 metadata; said again, only the metadata is new
insert into memento.link as l (project_id, from_item_id, to_item_id, relation, created_by, metadata)
select $1, a.item_id, b.item_id, $4::text, pg_catalog.pg_get_userbyid($5), $6::jsonb
  from memento.item a, memento.item b
 where a.project_id = $1 and a.item_id = $2 and b.project_id = $1 and b.item_id = $3
   for key share of a, b
on conflict (project_id, from_item_id, to_item_id, relation) do update set metadata = excluded.metadata
returning pg_catalog.jsonb_build_object(
  'from_item_id', from_item_id, 'to_item_id', to_item_id, 'relation', relation, 'created_at', created_at, 'metadata', metadata)
