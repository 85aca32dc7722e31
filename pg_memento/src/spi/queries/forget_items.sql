-- $1 project, $2 items, which are locked, so that nobody adds to them, $3 by whom. Versions and chunks go with the item.
with counted as materialized (
  select (select coalesce(pg_catalog.array_agg(v.version_id order by v.item_id, v.version_num), '{}')
            from memento.version v where v.project_id = $1 and v.item_id = any ($2::uuid[])) as version_ids,
         (select count(*) from memento.chunk c join memento.version v using (project_id, version_id)
           where c.project_id = $1 and v.item_id = any ($2)) as chunk_count
),
silenced as (
  -- The key stays used; what it was used for can be neither read nor guessed.
  update memento.commit k
     set message = null,
         request_hash = case when k.request_hash is not null then pg_catalog.sha256(pg_catalog.uuid_send(pg_catalog.gen_random_uuid())) end
   where k.project_id = $1
     and k.commit_id in (select v.commit_id from memento.version v where v.project_id = $1 and v.item_id = any ($2))
),
unpacked as (
  delete from memento.evidence_pack p where p.project_id = $1 and p.item_ids && $2
),
gone as (
  delete from memento.item i where i.project_id = $1 and i.item_id = any ($2)
)
insert into memento.erasure (project_id, erased_by, item_ids, version_ids, chunk_count)
select $1, pg_catalog.pg_get_userbyid($3), $2, c.version_ids, c.chunk_count from counted c
returning pg_catalog.jsonb_build_object(
  'receipt_id', erasure_id, 'forgotten_at', erased_at, 'forgotten_by', erased_by,
  'items', pg_catalog.cardinality(item_ids), 'versions', pg_catalog.cardinality(version_ids), 'chunks', chunk_count)
