-- $1 project, $2 item, $3 before which version number, $4 how many
with page as (
  select v.*
    from memento.version v
   where v.project_id = $1 and v.item_id = $2 and ($3::int is null or v.version_num < $3)
   order by v.version_num desc
   limit $4::int
)
select pg_catalog.jsonb_build_object(
         'item_id', $2::uuid,
         -- Numbers have no gaps.
         'total', (select max(v.version_num) from memento.version v where v.project_id = $1 and v.item_id = $2),
         'versions', coalesce((select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
             'version_num', p.version_num, 'version_id', p.version_id, 'is_latest', p.is_latest,
             'created_at', p.created_at, 'superseded_at', p.superseded_at,
             'commit_id', p.commit_id, 'created_by', k.created_by, 'operation', k.operation, 'message', k.message,
             'content_hash', pg_catalog.encode(p.content_hash, 'hex'),
             'characters', pg_catalog.char_length(p.content)) order by p.version_num desc)
           from page p
           -- The limit keeps the planner from joining: it would read all commits for what it takes for a long page.
           left join lateral (select c.created_by, c.operation, c.message
                                from memento.commit c
                               where c.project_id = p.project_id and c.commit_id = p.commit_id
                               limit 1) k on true), '[]'),
         'next_before', (select nullif(min(p.version_num), 1) from page p))
