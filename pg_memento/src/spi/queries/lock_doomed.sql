-- $1 project, $2 item, $3 source system, $4 source id, $5 the whole project. In one order, so that two who forget the same do not
-- wait for each other in a circle.
select i.item_id
  from memento.item i
 where i.project_id = $1
   and ($5::boolean or i.item_id = $2::uuid
        or (i.source_system = $3::text and ($4::text is null or i.source_id = $4)))
 order by i.item_id
   for update
