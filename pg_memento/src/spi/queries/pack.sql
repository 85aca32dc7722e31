-- $1 project, $2 pack
select p.query, p.created_at, (p.settings ->> 'as_of')::timestamptz, p.settings, p.lanes, p.evidence,
       p.settings -> 'retrieval' || pg_catalog.jsonb_build_object('lane_details', p.lanes)
  from memento.evidence_pack p
 where p.project_id = $1 and p.pack_id = $2
