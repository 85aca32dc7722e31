-- $1 project, $2 evidence as packs keep it, $3 as_of, $4 since when
select e.evidence_id, e.item_id, e.version_num,
       case when i.item_id is null then 'item_gone'
            when i.archived then 'item_archived'
            when v.version_id is null then 'version_gone'
            when c.chunk_id is null then 'chunk_gone'
            -- A pack of a time that is over shows what was live then.
            when $3::timestamptz is null and not v.is_latest then 'version_superseded' end,
       l.version_num,
       coalesce(v.created_at > $4::timestamptz, false)
  from pg_catalog.jsonb_array_elements($2::jsonb) with ordinality k(evidence, place)
 cross join lateral pg_catalog.jsonb_to_record(k.evidence) e(evidence_id text, item_id uuid, version_num int, chunk_id bigint)
  left join memento.item i on i.project_id = $1 and i.item_id = e.item_id
  left join memento.version v on v.project_id = $1 and v.item_id = e.item_id and v.version_num = e.version_num
  left join memento.version l on l.project_id = $1 and l.item_id = e.item_id and l.is_latest
  left join memento.chunk c on c.project_id = $1 and c.chunk_id = e.chunk_id and c.version_id = v.version_id
 order by k.place
