-- $1 project. Also makes those who change the terms of a project wait for each other.
update memento.project set terms_version = terms_version + 1 where project_id = $1 returning terms_version
