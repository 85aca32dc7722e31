-- $1 project: the newest of each name
select distinct on (e.name) e.name, e.version, e.template
  from memento.extraction_prompt e where e.project_id = $1
 order by e.name, e.version desc
