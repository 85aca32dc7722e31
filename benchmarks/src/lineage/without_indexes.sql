-- Takes the indexes of the three tables away, and with_indexes() makes them again, from the catalogue's own definitions. References
-- of events to their parents are made again for what comes from then on: what was loaded is not looked at.
create table definition as
  select c.conrelid::regclass as of_table, c.conname as name, c.contype as kind, pg_get_constraintdef(c.oid) as text
    from pg_constraint c
   where c.conrelid in ('memento.event_store'::regclass, 'specified.event_store'::regclass, 'plain'::regclass) and c.contype in ('p', 'u', 'f')
  union all
  select i.indrelid::regclass, i.indexrelid::regclass::text, 'i', pg_get_indexdef(i.indexrelid)
    from pg_index i
   where i.indrelid in ('memento.event_store'::regclass, 'specified.event_store'::regclass, 'plain'::regclass)
     and not exists (select from pg_constraint c where c.conindid = i.indexrelid);

do $$
declare
  d record;
begin
  -- What refers to a key goes before it.
  for d in select * from definition order by kind = 'f' desc loop
    if d.kind = 'i' then
      execute format('drop index %s', d.name);
    else
      execute format('alter table %s drop constraint %I', d.of_table, d.name);
    end if;
  end loop;
end
$$;

create function with_indexes() returns void language plpgsql as $$
declare
  d record;
begin
  -- Keys before what refers to them.
  for d in select * from definition order by kind = 'f' loop
    if d.kind = 'i' then
      execute d.text;
    else
      execute format('alter table %s add constraint %I %s%s', d.of_table, d.name, d.text, case d.kind when 'f' then ' not valid' end);
    end if;
  end loop;
end
$$;
