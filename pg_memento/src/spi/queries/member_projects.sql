-- $1 role, $2 whether it sees all projects, $3 level
select p.project_id from memento.project p where $2::boolean
union
select m.project_id
  from memento.project_member m
 where m.role_name in (select memento._held_roles($1::oid))
   and m.level >= $3::memento.access_level
