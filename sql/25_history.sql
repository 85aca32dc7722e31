-- What was said in conversations, turn by turn.

create table memento.history_turn (
  project_id uuid not null references memento.project on delete cascade,
  conversation_id text not null,
  turn_index int not null,
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  created_by name not null,
  role text not null,
  content text not null,
  metadata jsonb not null default '{}',
  primary key (project_id, conversation_id, turn_index),
  constraint history_turn_conversation_id_form check (conversation_id ~ '\S' and pg_catalog.char_length(conversation_id) <= 200),
  constraint history_turn_index_not_negative check (turn_index >= 0),
  constraint history_turn_role_known check (role in ('user', 'assistant', 'system', 'tool')),
  constraint history_turn_metadata_object check (pg_catalog.jsonb_typeof(metadata) = 'object')
);
comment on table memento.history_turn is 'One turn of a conversation. Turns are added by history_append() and never changed.';
comment on column memento.history_turn.project_id is 'The project.';
comment on column memento.history_turn.conversation_id is 'The conversation, by the name that the client gives it.';
comment on column memento.history_turn.turn_index is 'The place of the turn in the conversation, from 0.';
comment on column memento.history_turn.created_at is 'When it was added.';
comment on column memento.history_turn.created_by is 'By which role of the database.';
comment on column memento.history_turn.role is 'Who speaks: user, assistant, system or tool.';
comment on column memento.history_turn.content is 'What was said.';
comment on column memento.history_turn.metadata is 'Anything else, as a JSON object.';
