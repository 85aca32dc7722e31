insert into memento.project_member (project_id, role_name, level)
values ($1, $2::name, $3::memento.access_level)
on conflict (project_id, role_name) do update set level = excluded.level
