-- Counting what goes with an item, and what is left of it, whatever tables there are.

create function memento._count_below(project uuid, items uuid[]) returns jsonb
  language plpgsql stable parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  below record;
  found bigint;
  counts jsonb := '{}';
begin
  -- Along the foreign keys that delete what refers to a row, from table to table.
  for below in
    with recursive edge as (
      select k.conrelid as child, k.confrelid as parent,
             (select string_agg(quote_ident(a.attname), ', ' order by c.place)
                from unnest(k.conkey) with ordinality c(attnum, place)
                join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.attnum) as child_columns,
             (select string_agg(quote_ident(a.attname), ', ' order by c.place)
                from unnest(k.confkey) with ordinality c(attnum, place)
                join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.attnum) as parent_columns
        from pg_constraint k
       where k.contype = 'f' and k.confdeltype = 'c' and k.connamespace = 'memento'::regnamespace
    ), path as (
      select 'memento.item'::regclass::oid as relation, 'project_id = $1 and item_id = any ($2)' collate "C" as condition,
             array['memento.item'::regclass::oid] as seen
      union all
      select e.child, format('(%s) in (select %s from %s where %s)', e.child_columns, e.parent_columns, e.parent::regclass, p.condition),
             p.seen || e.child
        from path p
        join edge e on e.parent = p.relation
       where e.child <> all (p.seen)
    )
    select c.relname as name, p.relation::regclass as relation, string_agg(p.condition, ' or ') as condition
      from path p join pg_class c on c.oid = p.relation
     group by c.relname, p.relation
     order by c.relname
  loop
    execute format('select count(*) from %s where %s', below.relation, below.condition) into found using project, items;
    counts := counts || jsonb_build_object(below.name, found);
  end loop;
  return counts;
end
$$;
comment on function memento._count_below(uuid, uuid[]) is 'internal: how many rows of which table go when items are deleted';

create function memento._count_left(project uuid, items uuid[], versions uuid[]) returns jsonb
  language plpgsql stable parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  holder record;
  found bigint;
  counts jsonb := '{}';
begin
  -- By the names of columns, so that a table whose foreign key was dropped is looked at too.
  for holder in
    select c.relname as name, c.oid::regclass as relation,
           string_agg(format('%I = any (%s)', a.attname, case when a.attname like '%version_id' then '$3' else '$2' end), ' or ') as condition
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'uuid'::regtype and not a.attisdropped
     where c.relnamespace = 'memento'::regnamespace and c.relkind in ('r', 'p')
       and (a.attname like '%item_id' or a.attname like '%version_id')
       and exists (select from pg_attribute p where p.attrelid = c.oid and p.attname = 'project_id')
     group by c.relname, c.oid
     order by c.relname
  loop
    execute format('select count(*) from %s where project_id = $1 and (%s)', holder.relation, holder.condition)
      into found using project, items, versions;
    counts := counts || jsonb_build_object(holder.name, found);
  end loop;
  return counts;
end
$$;
comment on function memento._count_left(uuid, uuid[], uuid[]) is 'internal: how many rows still name items or versions';
