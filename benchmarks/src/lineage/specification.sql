-- The table, trigger and functions that the specification of event lineage proposes, with its mistake in the recursive step
-- corrected: the join follows parent_uuid. It has no tree function; this one does what its text asks for.
create schema specified;
create table specified.event_store (
  event_id uuid primary key,
  instance_id uuid,
  sequence_num bigserial,
  event_type varchar(64) not null,
  "timestamp" timestamptz not null default now(),
  event_data jsonb not null default '{}',
  parent_uuid uuid,
  root_uuid uuid,
  depth integer default 0 check (depth >= 0)
);
alter table specified.event_store add foreign key (parent_uuid) references specified.event_store (event_id) on delete set null;
create index on specified.event_store (parent_uuid);
create index on specified.event_store (root_uuid);
create index on specified.event_store (depth);
create index on specified.event_store (instance_id, sequence_num);

create function specified.get_parent_chain(event uuid, max_depth integer default 1000)
  returns table (uuid uuid, event_type varchar(64), "timestamp" timestamptz, event_data jsonb, depth integer)
  language sql stable
as $$
  with recursive chain as (
    select e.event_id, e.parent_uuid, e.event_type, e.timestamp, e.event_data, 0 as steps
      from specified.event_store e where e.event_id = event
    union all
    select e.event_id, e.parent_uuid, e.event_type, e.timestamp, e.event_data, c.steps + 1
      from specified.event_store e join chain c on e.event_id = c.parent_uuid
     where c.steps < max_depth
  )
  select event_id, event_type, timestamp, event_data, steps from chain order by steps desc
$$;

create function specified.get_event_tree(root uuid, max_depth integer default 10)
  returns table (uuid uuid, event_type varchar(64), "timestamp" timestamptz, event_data jsonb, depth integer)
  language sql stable
as $$
  select e.event_id, e.event_type, e.timestamp, e.event_data, e.depth
    from specified.event_store e
   where e.root_uuid = root and e.depth <= max_depth
   order by e.depth, e.timestamp
$$;

create function specified.set_event_lineage() returns trigger language plpgsql as $$
begin
  if new.parent_uuid is null then
    new.depth := 0;
    new.root_uuid := new.event_id;
  else
    select e.depth + 1 into new.depth from specified.event_store e where e.event_id = new.parent_uuid;
    if new.depth is null then
      raise exception 'parent not found';
    end if;
    select e.root_uuid into new.root_uuid from specified.event_store e where e.event_id = new.parent_uuid;
  end if;
  return new;
end
$$;
create trigger set_event_lineage before insert on specified.event_store
  for each row execute function specified.set_event_lineage();
