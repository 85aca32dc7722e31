-- $1 endpoint
select p.code, p.reason, extract(epoch from p.paused_until - pg_catalog.clock_timestamp())::float8
  from memento.endpoint_pause p where p.endpoint = $1::text and p.paused_until > pg_catalog.clock_timestamp()
