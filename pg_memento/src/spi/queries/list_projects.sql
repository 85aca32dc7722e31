, page as (
  -- After visible_projects.sql: $3 workspace, $4 and $5 the workspace and name after which to go on, $6 how many
  select v.workspace, v.name, v.seen, pg_catalog.row_number() over (order by v.workspace collate "C", v.name collate "C") as place
    from visible v
   where ($3::text is null or v.workspace = $3)
     and ($4::text is null or (v.workspace collate "C", v.name collate "C") > ($4 collate "C", $5::text collate "C"))
)
select pg_catalog.jsonb_build_object(
         'total', (select count(*) from visible v where $3 is null or v.workspace = $3),
         'projects', coalesce((select pg_catalog.jsonb_agg(p.seen order by p.place) from page p where p.place <= $6::int), '[]'),
         'next_after', (select p.workspace || '/' || p.name from page p
                         where p.place = $6 and exists (select from page n where n.place = $6 + 1)))
