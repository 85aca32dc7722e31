-- $1 project, $2 item, $3 source system, $4 source id, $5 the whole project, $6 the whole source. In the order in which commits
-- write, so that nobody waits for each other in a circle.
select i.item_id
  from memento.item i
 where i.project_id = $1
   and ($5::boolean or i.item_id = $2::uuid
        or (i.source_system = $3::text and ($6::boolean or i.source_id = $4::text)))
 order by i.source_system collate "C", i.source_id collate "C", i.canonical_key collate "C", i.item_id
   for update
