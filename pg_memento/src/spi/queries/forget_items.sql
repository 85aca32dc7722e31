-- $1 project, $2 items, which are locked, so that nobody adds to them, $3 by whom, $4 the rows that go with them, $5 why,
-- $6 how many rows of other tables are gone already, $7 of which conversations, $8 whether that was the whole project. Events that name
-- an item keep their place in their tree, without their data. What refers to an item goes with it.
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
  delete from memento.evidence_pack p where p.project_id = $1 and p.item_ids && $2 returning true
),
emptied as (
  update memento.event_store e set event_data = '{"forgotten": true}'
   where e.project_id = $1 and e.event_data @? '$.** ? (exists (@.item_id) || exists (@.item_ids))'
     and memento.named_items(e.event_data) && $2
  returning true
),
gone as (
  delete from memento.item i where i.project_id = $1 and i.item_id = any ($2)
),
beside as (
  select pg_catalog.jsonb_object_agg(b.relation, b.rows) as counts
    from (select n.relation, pg_catalog.sum(n.rows) as rows
            from (select a.key as relation, a.value::bigint as rows from pg_catalog.jsonb_each_text($6::jsonb) a
                  union all select 'evidence_pack', pg_catalog.count(*) from unpacked
                  union all select 'event_store', pg_catalog.count(*) from emptied) n
           group by n.relation) b
   where b.rows > 0
)
insert into memento.erasure (project_id, erased_by, item_ids, version_ids, commit_ids, conversation_ids, last_event_num, counts, reason)
select $1, pg_catalog.pg_get_userbyid($3), $2, c.version_ids, c.commit_ids, $7::text[],
       case when $8::boolean then (select s.last_value - (not s.is_called)::int from memento.event_sequence_num_seq s) end,
       $4::jsonb || coalesce(b.counts, '{}'), $5::text
  from counted c cross join beside b
returning pg_catalog.jsonb_build_object(
  'receipt_id', erasure_id, 'forgotten_at', erased_at, 'forgotten_by', erased_by, 'reason', reason,
  'items', pg_catalog.cardinality(item_ids), 'versions', pg_catalog.cardinality(version_ids),
  'chunks', coalesce(counts -> 'chunk', '0'), 'counts', counts)
