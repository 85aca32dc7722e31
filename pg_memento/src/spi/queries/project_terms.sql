-- $1 project: the version of its terms, those it has added, and those it has removed
select p.terms_version,
       array(select t.term from memento.domain_term t where t.project_id = $1 and t.is_used),
       array(select t.term from memento.domain_term t where t.project_id = $1 and not t.is_used)
  from memento.project p
 where p.project_id = $1
