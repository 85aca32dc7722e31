-- $1 project, $2 names or keys: the keys of what they stand for. As in wanted_items.sql.
select n.entity_id from memento.entity_mention n where n.project_id = $1 and memento._name_key(n.surface) = any (memento._name_keys($2))
union
select e.entity_id from memento.entity e where e.project_id = $1 and memento._name_key(e.canonical_name) = any (memento._name_keys($2))
union
select e.entity_id from memento.entity e where e.project_id = $1 and e.entity_id = any ($2)
