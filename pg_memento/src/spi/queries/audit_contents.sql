-- $1 project, $2 and $3 the item after which to go on: its creation and its key, $4 how many, $5 the longest content
select i.item_id, (extract(epoch from i.created_at) * 1000000)::bigint, i.title, v.content_hash,
       case when pg_catalog.octet_length(v.content) <= $5::int then v.content else '' end
  from memento.item i
  join memento.version v on v.project_id = i.project_id and v.item_id = i.item_id and v.is_latest
 where i.project_id = $1 and not i.archived
   and ($2::bigint is null
        or (i.created_at, i.item_id) < ('epoch'::timestamptz + $2 * interval '1 microsecond', $3::uuid))
 order by i.created_at desc, i.item_id desc
 limit $4::int
