-- $1 project, $2 item, $3 kind, $4 title, $5 url, $6 author, $7 participants; null leaves as it is; $8 sensitivity, $9 visibility,
-- $10 retention: $11 months and $12 days
update memento.item i
   set kind = $3::text, title = coalesce($4::text, i.title), source_url = coalesce($5::text, i.source_url),
       author = coalesce($6::text, i.author), participants = coalesce($7::text[], i.participants), sensitivity = $8::text,
       visibility = $9::text, retention = $10::text, keep_for = k.keep_for,
       expires_at = case when $10 = 'until_resolved' then i.resolved_at else pg_catalog.clock_timestamp() + k.keep_for end
  from (select case when $11::int + $12::int > 0 then pg_catalog.make_interval(months => $11, days => $12) end as keep_for) k
 where i.project_id = $1 and i.item_id = $2
