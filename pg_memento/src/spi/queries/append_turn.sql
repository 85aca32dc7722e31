-- $1 project, $2 role of the database, $3 conversation, $4 place, or null for the next, $5 role, $6 content, $7 metadata; nothing if
-- the place is taken
insert into memento.history_turn (project_id, created_by, conversation_id, turn_index, role, content, metadata)
select $1, pg_catalog.pg_get_userbyid($2), $3::text,
       coalesce($4::int, (select max(t.turn_index) + 1 from memento.history_turn t where t.project_id = $1 and t.conversation_id = $3), 0),
       $5::text, $6::text, $7::jsonb
on conflict do nothing
returning turn_index
