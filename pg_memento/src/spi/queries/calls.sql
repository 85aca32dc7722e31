-- $1 project, $2 items: each with the conversation that it is, or that it was made from; the first by key of several
select i.item_id, coalesce(case when i.kind in ('chat', 'transcript') then i.item_id end, l.item_id)
  from memento.item i
  left join lateral (
    select c.item_id
      from memento.link f
      join memento.item c on c.project_id = $1 and c.item_id = f.to_item_id and c.kind in ('chat', 'transcript')
     where f.project_id = $1 and f.from_item_id = i.item_id and f.relation in ('derived_from', 'part_of', 'child_of')
     order by c.item_id limit 1) l on true
 where i.project_id = $1 and i.item_id = any ($2::uuid[]) and (i.kind in ('chat', 'transcript') or l.item_id is not null)
