-- $1 project, $2 item, $3 source system, $4 source id, $5 the whole project, $6 the whole source, $7 a person. In the order in which commits
-- write, so that nobody waits for each other in a circle.
select i.item_id
  from memento.item i
 where i.project_id = $1
   and ($5::boolean or i.item_id = $2::uuid
        or (i.source_system = $3::text and ($6::boolean or i.source_id = $4::text))
        or ($7::text is not null
            and (pg_catalog.lower(i.author) = pg_catalog.lower($7)
                 or exists (select from pg_catalog.unnest(i.participants) p where pg_catalog.lower(p) = pg_catalog.lower($7)))))
 order by i.source_system collate "C", i.source_id collate "C", i.canonical_key collate "C", i.item_id
   for update
