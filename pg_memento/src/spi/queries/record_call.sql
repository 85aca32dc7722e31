-- $1 project, $2 role, $3 provider, $4 model, $5 endpoint, $6 outcome, $7 texts, $8 tokens, $9 bytes sent, $10 bytes received, $11
-- milliseconds. The budget is left alone: its row would be locked for as long as the caller's transaction lasts.
insert into memento.usage_ledger (project_id, role, provider, model, endpoint, outcome, items, tokens, bytes_sent, bytes_received, duration_ms)
values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::int, $8::bigint, $9::bigint, $10::bigint, $11::float8)
