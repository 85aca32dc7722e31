-- $1 project; nothing if there is an item of that identity, after waiting for one that is being written. Two sources can have the
-- same derived uid ('a', 'b:c' and 'a:b', 'c'): the second gets a random one.
insert into memento.item (project_id, kind, title, tags, source_system, source_id, metadata, scope, doc_class, sensitivity,
                          visibility, retention, canonical_key, source_url, author, participants, keep_for, artifact_uid)
select $1, $2::text, $3::text, $4::text[], $5::text, $6::text, $7::jsonb, $8::text, $9::text, $10::text, $11::text, $12::text,
       $13::text, $14::text, $15::text, $16::text[],
       case when $17::int + $18::int > 0 then pg_catalog.make_interval(months => $17, days => $18) end,
       case when d.uid is not null
             and not exists (select from memento.item o where o.project_id = $1 and o.artifact_uid = d.uid) then d.uid
            else 'uid_' || pg_catalog.left(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 16) end
  from (select 'uid_' || pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(
                 $5 || ':' || $6, 'UTF8')), 'hex'), 16) as uid) d
on conflict do nothing
returning item_id
