-- $1 project, $2 version, null for the latest of all items: how many there are, and their tokens. Those of a large content may not be cut yet.
select count(*), coalesce(pg_catalog.sum(coalesce(c.tokens, memento.count_tokens(v.content))), 0)::bigint
  from memento.version v
 cross join lateral (select pg_catalog.sum(k.token_count) as tokens
                       from memento.chunk k where k.project_id = v.project_id and k.version_id = v.version_id) c
 where v.project_id = $1 and case when $2::uuid is not null then v.version_id = $2 else v.is_latest end
