-- $1 project, $2 evidence packs: those that exist, as a context shows them
select p.pack_id,
       pg_catalog.jsonb_build_object('pack_id', p.pack_id, 'query', p.query, 'created_at', p.created_at, 'item_ids', p.item_ids)
  from memento.evidence_pack p
 where p.project_id = $1 and p.pack_id = any ($2::uuid[])
