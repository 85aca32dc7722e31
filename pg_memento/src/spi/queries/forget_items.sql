-- $1 project, $2 item, $3 source system, $4 source id, $5 the whole project, $6 by whom. Versions and chunks go with the item.
with doomed as materialized (
  select i.item_id
    from memento.item i
   where i.project_id = $1
     and ($5::boolean or i.item_id = $2::uuid
          or (i.source_system = $3::text and ($4::text is null or i.source_id = $4)))
     for update
),
counted as materialized (
  select (select coalesce(pg_catalog.array_agg(d.item_id order by d.item_id), '{}') from doomed d) as item_ids,
         (select coalesce(pg_catalog.array_agg(v.version_id order by v.item_id, v.version_num), '{}')
            from memento.version v where v.project_id = $1 and v.item_id in (select item_id from doomed)) as version_ids,
         (select count(*) from memento.chunk c join memento.version v using (project_id, version_id)
           where c.project_id = $1 and v.item_id in (select item_id from doomed)) as chunk_count
),
silenced as (
  update memento.commit k set message = null
   where k.project_id = $1
     and k.message is not null
     and k.commit_id in (select v.commit_id from memento.version v, counted c
                          where v.project_id = $1 and v.item_id = any (c.item_ids))
),
gone as (
  delete from memento.item i using counted c where i.project_id = $1 and i.item_id = any (c.item_ids)
)
insert into memento.erasure (project_id, erased_by, item_ids, version_ids, chunk_count)
select $1, $6::name, c.item_ids, c.version_ids, c.chunk_count from counted c where c.item_ids <> '{}'
returning pg_catalog.jsonb_build_object(
  'receipt_id', erasure_id, 'forgotten_at', erased_at, 'forgotten_by', erased_by,
  'items', pg_catalog.cardinality(item_ids), 'versions', pg_catalog.cardinality(version_ids), 'chunks', chunk_count)
