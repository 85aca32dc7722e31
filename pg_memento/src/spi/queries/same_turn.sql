-- $1 project, $2 conversation, $3 place, $4 role, $5 content
select from memento.history_turn t
 where t.project_id = $1 and t.conversation_id = $2::text and t.turn_index = $3::int and t.role = $4::text and t.content = $5::text
