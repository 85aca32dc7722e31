-- $1 project, $2 pack, $3 what is shown
select p.digest = pg_catalog.sha256(pg_catalog.convert_to(($3::jsonb)::text, 'UTF8'))
  from memento.evidence_pack p
 where p.project_id = $1 and p.pack_id = $2
