-- $1 project, $2 items, which are locked, so that nobody adds to them, $3 by whom, $4 the rows that go with them, $5 why,
-- $6 how many turns are gone, $7 of which conversations. What refers to an item goes with it.
with counted as materialized (
  select coalesce(pg_catalog.array_agg(v.version_id order by v.item_id, v.version_num), '{}') as version_ids,
         coalesce(pg_catalog.array_agg(distinct v.commit_id), '{}') as commit_ids
    from memento.version v where v.project_id = $1 and v.item_id = any ($2::uuid[])
),
silenced as (
  -- The key stays used; what it was used for can be neither read nor guessed.
  update memento.commit k
     set message = null,
         request_hash = case when k.request_hash is not null then pg_catalog.sha256(pg_catalog.uuid_send(pg_catalog.gen_random_uuid())) end
   where k.project_id = $1 and k.commit_id = any (array(select pg_catalog.unnest(c.commit_ids) from counted c))
),
unpacked as (
  delete from memento.evidence_pack p where p.project_id = $1 and p.item_ids && $2
),
gone as (
  delete from memento.item i where i.project_id = $1 and i.item_id = any ($2)
)
insert into memento.erasure (project_id, erased_by, item_ids, version_ids, commit_ids, conversation_ids, counts, reason)
select $1, pg_catalog.pg_get_userbyid($3), $2, c.version_ids, c.commit_ids, $7::text[],
       $4::jsonb || case when $6::bigint > 0 then pg_catalog.jsonb_build_object('history_turn', $6) else '{}' end, $5::text
  from counted c
returning pg_catalog.jsonb_build_object(
  'receipt_id', erasure_id, 'forgotten_at', erased_at, 'forgotten_by', erased_by, 'reason', reason,
  'items', pg_catalog.cardinality(item_ids), 'versions', pg_catalog.cardinality(version_ids),
  'chunks', coalesce(counts -> 'chunk', '0'), 'counts', counts)
