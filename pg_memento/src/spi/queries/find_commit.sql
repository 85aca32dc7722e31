-- $1 project, $2 idempotency key, $3 entries, $4 session, $5 message: the first result, and whether it was the same request
select c.result || pg_catalog.jsonb_build_object('replayed', true),
       c.request_hash = pg_catalog.sha256(pg_catalog.convert_to(
         pg_catalog.jsonb_build_array($3::jsonb, $4::uuid, $5::text)::text, 'UTF8'))
  from memento.commit c
 where c.project_id = $1 and c.idempotency_key = $2::text
