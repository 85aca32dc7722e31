-- every project with the version of its terms
select p.project_id, p.terms_version
  from memento.project p
 order by p.project_id
