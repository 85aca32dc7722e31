-- $1 project, $2 from, $3 to, $4 relation: whether one already comes from the second to the first
with recursive reached(item_id) as (
  select $3::uuid
  union
  select l.to_item_id
    from reached r
    join memento.link l on l.project_id = $1 and l.from_item_id = r.item_id and l.relation = $4::text
)
select exists (select from reached r where r.item_id = $2::uuid)
