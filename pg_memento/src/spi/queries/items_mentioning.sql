-- $1 project, $2 keys of entities, $3 how many mentions are too many
with mention as materialized (
  select m.version_id
    from memento.entity_mention m
   where m.project_id = $1 and m.entity_id = any ($2)
   limit $3::bigint
),
counted as materialized (
  select count(*) >= $3 as too_many from mention
)
select i.item_id, n.too_many
  from counted n
  left join (select distinct v.item_id
               from mention m join memento.version v on v.project_id = $1 and v.version_id = m.version_id
              where not (select c.too_many from counted c)) i on true
