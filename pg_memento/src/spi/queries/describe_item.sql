-- $1 project, $2 item, $3 title, $4 tags, $5 doc class; null leaves as it is
update memento.item i
   set title = coalesce($3::text, i.title), tags = coalesce($4::text[], i.tags), doc_class = coalesce($5::text, i.doc_class)
 where i.project_id = $1 and i.item_id = $2
   and (i.title, i.tags, i.doc_class) is distinct from
       (coalesce($3, i.title), coalesce($4, i.tags), coalesce($5, i.doc_class))
