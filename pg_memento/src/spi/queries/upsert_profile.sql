-- $1 name, $2 provider, $3 model, $4 dimensions, $5 distance, $6 config, $7 endpoint. A trigger keeps the model of one that exists, and
-- what was recorded about it stays.
insert into memento.embedding_profile (name, provider, model, dims, distance, config, endpoint)
values ($1::text, $2::text, $3::text, $4::int, $5::text, $6::jsonb, $7::text)
on conflict (name) do update
   set provider = excluded.provider, model = excluded.model, dims = excluded.dims, distance = excluded.distance,
       config = excluded.config || pg_catalog.jsonb_strip_nulls(
                  pg_catalog.jsonb_build_object('fingerprint', embedding_profile.config -> 'fingerprint')),
       endpoint = excluded.endpoint
returning profile_id
