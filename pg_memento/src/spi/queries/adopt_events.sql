-- $1 project, then columns: $2 ids, $3 types, $4 data, $5 times, $6 sessions, $7 numbers, as text, null for what there is not.
-- An id that is no uuid becomes its MD5, always the same.
with given as (
  select case when g.id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then g.id::uuid else pg_catalog.md5(g.id)::uuid end as event_id,
         coalesce(pg_catalog.left(nullif(pg_catalog.btrim(g.type), ''), 64), 'event') as event_type,
         coalesce(g.data::jsonb, '{}') as event_data,
         coalesce(g.happened::timestamptz, pg_catalog.now()) as "timestamp",
         case when g.session ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then g.session::uuid else pg_catalog.md5(g.session)::uuid end as session_id,
         g.number::bigint as sequence_num
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as g(id, type, data, happened, session, number)
)
insert into memento.event_store (project_id, event_id, event_type, event_data, "timestamp", session_id, sequence_num)
select $1, g.event_id, g.event_type, g.event_data, g."timestamp", g.session_id,
       coalesce(g.sequence_num, pg_catalog.nextval('memento.event_sequence_num_seq'))
  from given g
 order by g."timestamp", g.sequence_num, g.event_id
on conflict (project_id, event_id) do nothing
returning true
