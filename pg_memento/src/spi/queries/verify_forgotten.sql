-- $1 project, $2 receipt: what is left of it, table by table; none if there is no such receipt
select pg_catalog.jsonb_build_object(
         'receipt_id', e.erasure_id, 'verified', items + versions + chunks + packs = 0,
         'remaining', pg_catalog.jsonb_build_object('item', items, 'version', versions, 'chunk', chunks, 'evidence_pack', packs))
  from memento.erasure e
 cross join lateral (select count(*) from memento.item i where i.project_id = $1 and i.item_id = any (e.item_ids)) a(items)
 cross join lateral (
   select count(*) from memento.version v
    where v.project_id = $1 and (v.version_id = any (e.version_ids) or v.item_id = any (e.item_ids))) b(versions)
 cross join lateral (
   select count(*) from memento.chunk c where c.project_id = $1 and c.version_id = any (e.version_ids)) c(chunks)
 cross join lateral (
   select count(*) from memento.evidence_pack p where p.project_id = $1 and p.item_ids && e.item_ids) d(packs)
 where e.project_id = $1 and e.erasure_id = $2
