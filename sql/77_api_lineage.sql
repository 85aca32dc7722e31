comment on function memento.new_event_id() is
  'A new id, as events get by default: random, but beginning with the time (uuid version 7), so that later ones are greater and stand together in indexes.';
comment on function memento.named_items(jsonb) is
  'The memories that the data of an event names, by item_id or item_ids at any depth: the events that forget() empties.';
comment on function memento.emit_event(text, jsonb, uuid, uuid, uuid, timestamptz) is
  'Records that something happened, because of the parent event if one is given, and returns the row of event_store with root and depth. Without a session it belongs to that of its parent. Needs write access.';
comment on function memento.get_parent_chain(uuid, int) is
  'What led to an event: its root first, the event last. depth counts steps up from the event: 0 is the event itself. At most max_depth steps; truncated says whether there are more. Needs read access.';
comment on function memento.get_child_events(uuid, int) is
  'The events that an event has led to directly, in the order of time: at most max_events; truncated says whether there are more. Needs read access.';
comment on function memento.get_event_tree(uuid, int, int) is
  'An event and all that came of it, level by level, in the order of time within each. depth counts steps down from the event. At most max_depth levels below it and max_events events; truncated says whether there are more. Needs read access.';
comment on function memento.calculate_root_uuid(uuid) is
  'The root of the tree that a parent is in, which is the root of its children as well; null for null. Needs read access.';
comment on function memento.root_cause(uuid) is
  'The event that an event goes back to, by whatever number of steps, which is depth: for a root the event itself. Needs read access.';
comment on function memento.session_timeline(uuid, int, uuid) is
  'The events of a session in the order of time: at most max_events, after an event if one is given; truncated says whether there are more. Needs read access.';
comment on function memento.resume_context(uuid, int) is
  'What an agent needs to go on from an event: the event and those that led to it, nearest first, as many as fit in a budget of tokens, then the memories that they name, each with the beginning of its text, then the evidence packs. left_out says what did not fit. Needs read access.';
comment on function memento.adopt_event_store(regclass, jsonb, int, text) is
  'Copies the events of another table into the current project, each as a root; those that are there already are left alone, so it can be repeated. mapping names its columns: {"event_id": "id", "timestamp": "created_at"}; event_id, event_type, event_data, timestamp, session_id and sequence_num that are not named are taken from columns of those names. At most max_rows at a time, in the order of event_id, after a value of it; next_after in the result is where to go on, null at the end. Needs write access, and the right to read the table.';
