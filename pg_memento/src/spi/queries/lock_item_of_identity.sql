-- $1 project, $2 source system, $3 source id, $4 canonical key
select from memento.item i
 where i.project_id = $1
   and (($2::text is not null and i.source_system = $2 and i.source_id = $3::text)
        or ($4::text is not null and i.canonical_key = $4))
   for no key update
