-- $1 project: what was said in it beside its memories; how many packs and sets of labelled queries there were
with silenced as (
  update memento.commit k
     set message = null,
         request_hash = case when k.request_hash is not null then pg_catalog.sha256(pg_catalog.uuid_send(pg_catalog.gen_random_uuid())) end
   where k.project_id = $1 and (k.message is not null or k.request_hash is not null)
),
unpacked as (
  delete from memento.evidence_pack p where p.project_id = $1 returning true
),
unlabelled as (
  delete from memento.eval_set l where l.project_id = $1 returning true
),
untitled as (
  update memento.session s set title = null, summary = null, metadata = '{}'
   where s.project_id = $1 and (s.title is not null or s.summary is not null or s.metadata <> '{}')
)
select (select pg_catalog.count(*) from unpacked), (select pg_catalog.count(*) from unlabelled)
