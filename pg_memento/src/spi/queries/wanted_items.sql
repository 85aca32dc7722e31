-- $1 project, $2 since when archived items are wanted too (null: none), then the filter: $3 kinds, $4 scopes, $5 doc classes, $6 tags_any, $7 tags_all,
-- $8 sensitivities, $9 visibilities, $10 source systems, $11 items, $12 items not, $13 pinned, $14 canonical, $15 created from,
-- $16 created before, in microseconds since 1970; $17 who speaks, $18 names or keys of entities
-- All come as parameters whose values the planner knows: a condition that is not asked for is null, and gone before it estimates
-- anything. Each statement names either once, so it becomes part of it.
with wanted as not materialized (
  select i.*
    from memento.item i
   where i.project_id = $1
     and case when $2::timestamptz is null then not i.archived else not i.archived or i.archived_at > $2 end
     -- Equality with one kind lets an index give them in the order of time.
     and ($3::text[] is null or case when pg_catalog.cardinality($3) = 1 then i.kind = ($3)[1] else i.kind = any ($3) end)
     and ($4::text[] is null or i.scope = any ($4))
     and ($5::text[] is null or i.doc_class = any ($5))
     and ($6::text[] is null or i.tags && $6)
     and ($7::text[] is null or i.tags @> $7)
     and ($8::text[] is null or i.sensitivity = any ($8))
     and ($9::text[] is null or i.visibility = any ($9))
     and ($10::text[] is null or i.source_system = any ($10))
     and ($11::uuid[] is null or i.item_id = any ($11))
     and ($12::uuid[] is null or i.item_id <> all ($12))
     and (not $13::boolean or i.pinned)
     and (not $14::boolean or i.canonical_key is not null)
     and ($15::bigint is null or i.created_at >= 'epoch'::timestamptz + $15 * interval '1 microsecond')
     and ($16::bigint is null or i.created_at < 'epoch'::timestamptz + $16 * interval '1 microsecond')
),
-- Of their chunks, those in which one of $17 speaks and that mention one of $18. What $18 names is looked up once.
wanted_chunk as not materialized (
  select c.*
    from memento.chunk c
   where c.project_id = $1
     and ($17::text[] is null or c.speakers && $17)
     and ($18::text[] is null
          or exists (select from memento.entity_mention m
                      where m.project_id = $1 and m.version_id = c.version_id and m.start_char < c.end_char and m.end_char > c.start_char
                        and m.entity_id = any (array(
                              select n.entity_id from memento.entity_mention n where n.project_id = $1 and memento._name_key(n.surface) = any (memento._name_keys($18))
                              union
                              select e.entity_id from memento.entity e where e.project_id = $1 and memento._name_key(e.canonical_name) = any (memento._name_keys($18))
                              union
                              select e.entity_id from memento.entity e where e.project_id = $1 and e.entity_id = any ($18)))))
)
