-- Jobs that record themselves: an event when a job is asked for, below memento.parent_event of the session that asks, and one
-- below that when it ends. Extraction runs are jobs. The event of a job has an id that follows from the job's, so that whoever
-- ends it, in another session, finds it.

create function memento._record_job() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  own constant uuid := md5('job ' || new.project_id || ' ' || new.job_id)::uuid;
  given constant text := nullif(current_setting('memento.parent_event', true), '');
  -- In any form that Postgres reads; what is no uuid is named as missing.
  parent constant uuid := case when given ~* '^[0-9a-f]{4}(-?[0-9a-f]{4}){7}$' then given::uuid end;
  item constant uuid := (select v.item_id from memento.version v where v.project_id = new.project_id and v.version_id = new.version_id);
  about constant jsonb := jsonb_build_object('job_id', new.job_id, 'kind', new.kind, 'item_id', item, 'version_id', new.version_id);
begin
  if tg_op = 'INSERT' then
    insert into memento.event_store (project_id, event_id, parent_uuid, session_id, event_type, event_data)
    select new.project_id, own, p.event_id, p.session_id, 'job',
           jsonb_strip_nulls(about || jsonb_build_object('parent_missing', case when p.event_id is null then left(given, 80) end))
      from (values (parent)) g(event_id)
      left join memento.event_store p on p.project_id = new.project_id and p.event_id = g.event_id
        on conflict do nothing;
  else
    insert into memento.event_store (project_id, parent_uuid, session_id, event_type, event_data)
    select new.project_id, own, p.session_id, 'job_' || new.state,
           jsonb_strip_nulls(about || jsonb_build_object('attempt', new.attempt, 'result', new.result,
                                                         'error', case when new.state = 'failed' then new.errors -> -1 ->> 'code' end))
      from memento.event_store p
     where p.project_id = new.project_id and p.event_id = own;
  end if;
  return null;
end
$$;
comment on function memento._record_job() is 'internal: records that a job was asked for, or has ended, in event_store';

-- A row that a dump brings back was asked for earlier, and its events come with the dump.
create trigger job_insert_record after insert on memento.job
  for each row when (new.is_recorded and new.created_at >= pg_catalog.statement_timestamp())
  execute function memento._record_job();
create trigger job_update_record after update of state on memento.job
  for each row when (new.is_recorded and new.state <> old.state and new.state in ('done', 'failed', 'cancelled'))
  execute function memento._record_job();
