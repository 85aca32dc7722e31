-- $1 project: those who number something in it take turns. What refers to it is written all the same.
select p.project_id from memento.project p where p.project_id = $1 for no key update
