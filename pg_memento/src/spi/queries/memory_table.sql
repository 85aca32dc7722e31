-- $1 table: its quoted name if it is a data table of ours. Tenancy, settings, and what the worker makes or
-- notes by itself are no memories.
select pg_catalog.format('%I.%I', n.nspname, c.relname)
  from pg_catalog.pg_extension e
  join pg_catalog.pg_class c on c.oid = any (e.extconfig)
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where e.extname = 'pg_memento'
   and c.oid = $1
   and c.relkind = 'r'
   and c.relname not in ('workspace', 'project', 'project_member', 'embedding_profile', 'chat_profile', 'extraction_prompt', 'job',
                         'queue_pause', 'budget', 'usage_ledger', 'chunk_embedding', 'rate_limit')
