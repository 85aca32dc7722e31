-- $1 how many items at most: those that retention has come to the end of, project by project
with due as materialized (
  select i.project_id, i.item_id
    from memento.item i
   where i.expires_at <= pg_catalog.clock_timestamp()
   order by i.expires_at, i.project_id, i.item_id
   limit $1::int
     for update skip locked
)
select d.project_id, pg_catalog.array_agg(d.item_id order by d.item_id) from due d group by d.project_id order by d.project_id
