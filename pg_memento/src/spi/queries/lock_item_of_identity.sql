-- $1 project, $2 source system, $3 source id, $4 canonical key: makes the writers of an item wait for each other
select i.item_id, i.kind
  from memento.item i
 where i.project_id = $1
   and (($2::text is not null and i.source_system = $2 and i.source_id = $3::text)
        or ($4::text is not null and i.canonical_key = $4))
   for no key update
