-- $1 project, $2 how many findings of each problem, $3 how many bytes are too many
with latest as not materialized (
  select i.item_id, i.title, v.version_id, v.content_hash, pg_catalog.octet_length(v.content) as bytes, i.created_at
    from memento.item i
    join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
   where i.project_id = $1 and not i.archived
),
-- Retrievals that have left a trace: packs of retrieve(), and searches that were recorded as events, in anybody's words.
recalled as materialized (
  select unnest(k.item_ids)::text as item
    from memento.evidence_pack k
   where k.project_id = $1
  union
  select pg_catalog.jsonb_path_query(e.event_data, 'lax $.item_ids[*]') #>> '{}'
    from memento.event_store e
   where e.project_id = $1 and e.event_type = 'search'
)
(select 'duplicates', count(*) over (),
        pg_catalog.jsonb_build_object('item_ids', pg_catalog.jsonb_agg(l.item_id order by l.created_at, l.item_id),
                                      'title', pg_catalog.min(l.title))
   from latest l
  group by l.content_hash
 having count(*) > 1
  order by count(*) desc, pg_catalog.min(l.created_at)
  limit $2::int)
union all
(select 'oversized', count(*) over (),
        pg_catalog.jsonb_build_object('item_id', l.item_id, 'title', l.title, 'bytes', l.bytes)
   from latest l
  where l.bytes > $3::int
  order by l.bytes desc, l.item_id
  limit $2)
union all
(select 'unchunked', count(*) over (),
        pg_catalog.jsonb_build_object('item_id', l.item_id, 'title', l.title, 'version_id', l.version_id,
                                      'job', (select j.state from memento.job j
                                               where j.project_id = $1 and j.version_id = l.version_id and j.kind = 'ingest'
                                               order by j.job_id desc limit 1))
   from latest l
  where not exists (select from memento.chunk c where c.project_id = $1 and c.version_id = l.version_id)
  order by l.created_at, l.item_id
  limit $2)
union all
(select 'unembedded', count(*) over (),
        pg_catalog.jsonb_build_object('item_id', l.item_id, 'title', l.title, 'version_id', l.version_id,
                                      'job', (select j.state from memento.job j
                                               where j.project_id = $1 and j.version_id = l.version_id and j.kind = 'embed'
                                               order by j.job_id desc limit 1))
   from latest l
   join memento.project p on p.project_id = $1 and p.active_profile_id is not null
  where exists (select from memento.chunk c
                 where c.project_id = $1 and c.version_id = l.version_id
                   and not exists (select from memento.chunk_embedding e
                                    where e.project_id = $1 and e.chunk_id = c.chunk_id and e.profile_id = p.active_profile_id))
  order by l.created_at, l.item_id
  limit $2)
union all
-- Nothing of ours leaves these behind: they come from a restore or a change by hand.
(select 'orphaned', count(*) over (), pg_catalog.jsonb_build_object('item_id', i.item_id, 'title', i.title, 'lacks', 'version')
   from memento.item i
  where i.project_id = $1
    and not exists (select from memento.version v where v.project_id = $1 and v.item_id = i.item_id and v.is_latest)
  order by i.created_at, i.item_id
  limit $2)
union all
(select 'never_recalled', count(*) over (),
        pg_catalog.jsonb_build_object('item_id', l.item_id, 'title', l.title, 'created_at', l.created_at)
   from latest l
  where exists (select from recalled)
    and l.item_id::text not in (select r.item from recalled r where r.item is not null)
  order by l.created_at, l.item_id
  limit $2)
union all
(select 'recalled', count(*), null from recalled)
