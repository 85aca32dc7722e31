-- $1 project, $2 conversation; all if null. Their names are kept as hashes only.
with gone as (
  delete from memento.history_turn t
   where t.project_id = $1 and ($2::text is null or t.conversation_id = $2)
  returning t.conversation_id
)
select count(*), coalesce(pg_catalog.array_agg(distinct pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(
         g.conversation_id, 'UTF8')), 'hex')), '{}')
  from gone g
