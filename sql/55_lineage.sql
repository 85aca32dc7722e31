-- Events, and which of them led to which.
--
-- What keeps the trees right is declared, not programmed: an event refers to its parent by id, root and depth together, so
-- an event whose root or depth does not follow from its parent's cannot be committed, whoever writes it and at whatever
-- isolation level. Depth falls by one with every step up, so there is no cycle either. The triggers below only work the
-- values out. The reference is checked at commit, because the rows of a statement come in any order and a tree that moves is
-- written in several statements.

create sequence memento.event_sequence_num_seq;
comment on sequence memento.event_sequence_num_seq is 'Numbers of events, in the order in which they were recorded.';

create table memento.event_store (
  project_id uuid not null,
  event_id uuid not null default memento.new_event_id(),
  parent_uuid uuid,
  root_uuid uuid not null,
  depth int not null,
  parent_depth int,
  sequence_num bigint not null default pg_catalog.nextval('memento.event_sequence_num_seq'),
  "timestamp" timestamptz not null default pg_catalog.clock_timestamp(),
  session_id uuid,
  event_type text not null,
  event_data jsonb not null default '{}',
  -- The others are in the project of their parent, so theirs is there as well, without a look at each.
  root_project_id uuid generated always as (case when parent_uuid is null then project_id end) stored references memento.project,
  primary key (project_id, event_id),
  constraint event_store_depth_not_negative check (depth >= 0),
  constraint event_store_root_whole check (
    case when parent_uuid is null then depth = 0 and root_uuid = event_id and parent_depth is null
         else depth > 0 and parent_depth = depth - 1 and parent_uuid <> event_id end),
  constraint event_store_event_type_form check (event_type ~ '\S' and pg_catalog.char_length(event_type) <= 64),
  -- Also the index for whole trees, level by level.
  constraint event_store_root_uuid_key unique (project_id, root_uuid, depth, event_id)
);
alter table memento.event_store add constraint event_store_parent_uuid_fkey
  foreign key (project_id, root_uuid, parent_depth, parent_uuid)
  references memento.event_store (project_id, root_uuid, depth, event_id)
  deferrable initially deferred;
alter sequence memento.event_sequence_num_seq owned by memento.event_store.sequence_num;

comment on table memento.event_store is 'What happened, and because of what: each event has the event that led to it as its parent. Written by emit_event().';
comment on column memento.event_store.project_id is 'The project.';
comment on column memento.event_store.event_id is 'Key of the event in its project; later events have greater ones by default.';
comment on column memento.event_store.parent_uuid is 'The event that led to it; null for a root. When it is deleted, its children become roots.';
comment on column memento.event_store.root_uuid is 'The event that it all began with: itself for a root. Worked out by triggers.';
comment on column memento.event_store.depth is 'Steps from the root: 0 for a root. Worked out by triggers.';
comment on column memento.event_store.parent_depth is 'Depth of the parent, null for a root: part of the reference to it. Worked out by triggers.';
comment on column memento.event_store.sequence_num is 'Order in which events were recorded; has gaps.';
comment on column memento.event_store."timestamp" is 'When it happened.';
comment on column memento.event_store.session_id is 'The session that it belongs to: of table session, or an id of the agent''s own.';
comment on column memento.event_store.event_type is 'What happened, for example user_message, tool_use, error; free to choose, up to 64 characters.';
comment on column memento.event_store.root_project_id is 'The project, for a root: what refers to table project.';
comment on column memento.event_store.event_data is 'More about it. Memories are named by item_id or item_ids, evidence packs by pack_id or pack_ids. When a named memory is forgotten, only {"forgotten": true} is left.';

-- With the root, so that the check of the foreign key prefers it, whatever the statistics are.
create index event_store_parent_uuid_idx on memento.event_store (project_id, parent_uuid, root_uuid) where parent_uuid is not null;
create index event_store_session_id_idx on memento.event_store (project_id, session_id, "timestamp", sequence_num)
  where session_id is not null;
-- Empty but for the time of a statement that inserts children before their parents: see _place_event().
create index event_store_unsettled_idx on memento.event_store (project_id, event_id)
  where parent_uuid is not null and root_uuid = event_id;

-- What forget() looks for: events that name memories, wherever in their data.
create index event_store_named_items_idx on memento.event_store using gin (memento.named_items(event_data))
  where event_data @? '$.** ? (exists (@.item_id) || exists (@.item_ids))';

-- The trigger functions are SECURITY DEFINER, or switch to the owner themselves, because they lock and change events beside those of
-- the statement, which who runs it may have no privilege for. They cannot be called, and stay in the project of the rows that they
-- are given.

-- This one runs for every event: it looks the parent up and locks its key, by hand where that can be done at once. What comes before
-- its parent in a statement is marked, for _settle_events(): a child that is its own root.
create function memento._place_event() returns trigger
  language c volatile parallel unsafe
  as 'MODULE_PATHNAME', '_place_event_wrapper';
comment on function memento._place_event() is 'internal: root and depth of a new event, from its parent';

create function memento._replace_event() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- Whoever changes parents in a project waits for the one before, and sees what came of it. Inserts do not wait.
  perform pg_advisory_xact_lock('memento.event_store'::regclass::oid::int, uuid_hash(new.project_id));
  if new.parent_uuid is null then
    new.root_uuid := new.event_id;
    new.depth := 0;
    new.parent_depth := null;
    return new;
  end if;
  if new.parent_uuid = new.event_id then
    raise exception 'event % cannot be its own parent', new.event_id
      using errcode = 'check_violation', detail = 'code=CYCLE_DETECTED', hint = 'leave parent_uuid null for an event that nothing led to';
  end if;
  -- Also one that is marked: this is what a cycle looks like while it is made, and _move_subtrees() finds it.
  select p.root_uuid, p.depth + 1, p.depth into new.root_uuid, new.depth, new.parent_depth
    from memento.event_store p
   where p.project_id = new.project_id and p.event_id = new.parent_uuid
     for key share;
  if not found then
    raise exception 'event %, the parent of %, does not exist in this project', new.parent_uuid, new.event_id
      using errcode = 'no_data_found', detail = 'code=PARENT_NOT_FOUND', hint = 'record the parent first';
  end if;
  return new;
end
$$;
comment on function memento._replace_event() is 'internal: root and depth of an event that gets another parent';

-- Plans are kept for the session, and a tree can be one long chain: without an index each of its levels would read the table.
create function memento._settle_events() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set jit = off
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  stray record;
begin
  -- The first row has settled all: asked about this row alone, because the index of marked rows still has what they were.
  if not exists (select from memento.event_store e
                  where e.project_id = new.project_id and e.event_id = new.event_id and e.root_uuid = e.event_id) then
    return null;
  end if;
  with recursive settled as (
    select e.project_id, e.event_id, p.root_uuid, p.depth + 1 as depth
      from memento.event_store e
      join memento.event_store p on p.project_id = e.project_id and p.event_id = e.parent_uuid
     where e.parent_uuid is not null and e.root_uuid = e.event_id
       and (p.parent_uuid is null or p.root_uuid <> p.event_id)
    union all
    select c.project_id, c.event_id, s.root_uuid, s.depth + 1
      from settled s
      join memento.event_store c on c.project_id = s.project_id and c.parent_uuid = s.event_id
  )
  update memento.event_store e
     set root_uuid = s.root_uuid, depth = s.depth, parent_depth = s.depth - 1
    from settled s
   where e.project_id = s.project_id and e.event_id = s.event_id;

  select e.event_id, e.parent_uuid, p.event_id is null as is_orphan into stray
    from memento.event_store e
    left join memento.event_store p on p.project_id = e.project_id and p.event_id = e.parent_uuid
   where e.parent_uuid is not null and e.root_uuid = e.event_id
   order by p.event_id is null desc, e.event_id
   limit 1;
  if not found then
    return null;
  elsif stray.is_orphan then
    raise exception 'event %, the parent of %, does not exist in this project', stray.parent_uuid, stray.event_id
      using errcode = 'no_data_found', detail = 'code=PARENT_NOT_FOUND', hint = 'record the parent first, or in the same statement';
  end if;
  raise exception 'the parents of event % lead back to it', stray.event_id
    using errcode = 'check_violation', detail = 'code=CYCLE_DETECTED', hint = 'an event cannot be led to by one that came of it';
end
$$;
comment on function memento._settle_events() is 'internal: root and depth of events that came before their parents';

create function memento._move_subtrees() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set jit = off
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  stray uuid;
begin
  for attempt in 1..2 loop
    select e.event_id into stray
      from changed n
      join memento.event_store e on e.project_id = n.project_id and e.event_id = n.event_id
      join memento.event_store c on c.project_id = e.project_id and c.parent_uuid = e.event_id
     where c.root_uuid <> e.root_uuid or c.parent_depth <> e.depth
     limit 1;
    if not found then
      return null;
    end if;
    exit when attempt = 2;
    -- Of the events whose children do not follow them, only those count that are below no other: the others have no right
    -- values yet. What this statement changes is looked through in turn by this trigger, and so are children that somebody
    -- has added meanwhile.
    with recursive seed as materialized (
      select distinct e.project_id, e.event_id
        from changed n
        join memento.event_store e on e.project_id = n.project_id and e.event_id = n.event_id
        join memento.event_store c on c.project_id = e.project_id and c.parent_uuid = e.event_id
       where c.root_uuid <> e.root_uuid or c.parent_depth <> e.depth
    ),
    below as (
      select c.project_id, c.event_id
        from seed s
        join memento.event_store c on c.project_id = s.project_id and c.parent_uuid = s.event_id
      union
      select c.project_id, c.event_id
        from below b
        join memento.event_store c on c.project_id = b.project_id and c.parent_uuid = b.event_id
    ),
    moved as (
      select e.project_id, e.event_id, e.root_uuid, e.depth
        from (select * from seed except select * from below) top
        join memento.event_store e on e.project_id = top.project_id and e.event_id = top.event_id
      union all
      select c.project_id, c.event_id, m.root_uuid, m.depth + 1
        from moved m
        join memento.event_store c on c.project_id = m.project_id and c.parent_uuid = m.event_id
    )
    update memento.event_store e
       set root_uuid = m.root_uuid, depth = m.depth, parent_depth = m.depth - 1
      from moved m
     where e.project_id = m.project_id and e.event_id = m.event_id
       and (e.root_uuid <> m.root_uuid or e.depth <> m.depth);
  end loop;
  raise exception 'the parents of event % lead back to it', stray
    using errcode = 'check_violation', detail = 'code=CYCLE_DETECTED', hint = 'an event cannot be led to by one that came of it';
end
$$;
comment on function memento._move_subtrees() is 'internal: root and depth of all that is below an event that got another parent; refuses cycles';

create function memento._release_children() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set jit = off
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  update memento.event_store c
     set parent_uuid = null
    from deleted d
   where c.project_id = d.project_id and c.parent_uuid = d.event_id;
  return null;
end
$$;
comment on function memento._release_children() is 'internal: makes the children of deleted events roots';

create trigger event_store_insert_place before insert on memento.event_store
  for each row execute function memento._place_event();
create trigger event_store_update_place before update on memento.event_store
  for each row when ((new.project_id, new.event_id, new.parent_uuid) is distinct from (old.project_id, old.event_id, old.parent_uuid))
  execute function memento._replace_event();
-- For each marked row, and not for each statement, because an insert without any is to cost nothing more. The first settles all.
create trigger event_store_insert_settle after insert on memento.event_store
  for each row when (new.parent_uuid is not null and new.root_uuid = new.event_id)
  execute function memento._settle_events();
create trigger event_store_update_move after update on memento.event_store
  referencing new table as changed
  for each statement execute function memento._move_subtrees();
create trigger event_store_delete_release after delete on memento.event_store
  referencing old table as deleted
  for each statement execute function memento._release_children();
