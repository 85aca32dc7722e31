-- $1 project, $2 parent: its root and depth. The lock keeps it where it is until the child is committed; one that is marked does not
-- count yet. A trigger runs this with the search_path of whoever inserts, so operators are qualified too.
select p.root_uuid, p.depth
  from memento.event_store p
 where p.project_id operator(pg_catalog.=) $1 and p.event_id operator(pg_catalog.=) $2
   and (p.parent_uuid is null or p.root_uuid operator(pg_catalog.<>) p.event_id)
   for key share
