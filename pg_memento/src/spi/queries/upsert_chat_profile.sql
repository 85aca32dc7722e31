-- $1 name, $2 provider, $3 model, $4 config, $5 endpoint
insert into memento.chat_profile (name, provider, model, config, endpoint)
values ($1::text, $2::text, $3::text, $4::jsonb, $5::text)
on conflict (name) do update
   set provider = excluded.provider, model = excluded.model, config = excluded.config, endpoint = excluded.endpoint
returning profile_id
