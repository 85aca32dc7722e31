-- $1 project, $2 source system, $3 source id, $4 canonical key. Two identities whose hashes collide only wait for each other.
select pg_catalog.pg_advisory_xact_lock(
  pg_catalog.hashtextextended(pg_catalog.jsonb_build_array($1::uuid, $2::text, $3::text, $4::text)::text, 0))
