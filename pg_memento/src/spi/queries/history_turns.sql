-- $1 project, $2 conversation, $3 how many, $4 before which place
with page as (
  select t.*
    from memento.history_turn t
   where t.project_id = $1 and t.conversation_id = $2::text and ($4::int is null or t.turn_index < $4)
   order by t.turn_index desc
   limit $3::int
)
select pg_catalog.jsonb_build_object(
         'conversation_id', $2,
         'total', (select count(*) from memento.history_turn t where t.project_id = $1 and t.conversation_id = $2),
         'turns', coalesce((select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
             'turn_index', p.turn_index, 'role', p.role, 'content', p.content, 'created_at', p.created_at, 'metadata', p.metadata)
             order by p.turn_index) from page p), '[]'),
         'next_before', (select f.turn_index
                           from (select min(p.turn_index) as turn_index from page p) f
                          where exists (select from memento.history_turn t
                                         where t.project_id = $1 and t.conversation_id = $2 and t.turn_index < f.turn_index)))
