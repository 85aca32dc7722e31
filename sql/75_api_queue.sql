-- Workers on other machines: which role may speak for one.

create function memento.grant_worker(role name) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform memento._change_worker(role, true);
end
$$;

create function memento.revoke_worker(role name) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform memento._change_worker(role, false);
end
$$;

create function memento._change_worker(role name, is_worker boolean) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $$
declare
  protocol regprocedure;
begin
  if role is null or not exists (select from pg_roles r where r.rolname = role) then
    raise exception 'role % does not exist', coalesce(quote_ident(role), 'null')
      using errcode = 'undefined_object', detail = 'code=ROLE_NOT_FOUND', hint = 'create role ... login;';
  end if;
  -- What a worker may call is what says so about itself.
  for protocol in
    select p.oid from pg_proc p
     where p.pronamespace = 'memento'::regnamespace and obj_description(p.oid, 'pg_proc') like 'worker: %'
  loop
    if is_worker then
      execute format('grant execute on function %s to %I', protocol, role);
    else
      execute format('revoke execute on function %s from %I', protocol, role);
    end if;
  end loop;
  if is_worker then
    execute format('grant usage on schema memento to %I', role);
    execute format('grant select on memento.embedding_profile to %I', role);
  elsif not exists (select from memento.project_member m where m.role_name = role) then
    execute format('revoke select on memento.embedding_profile from %I', role);
    execute format('revoke usage on schema memento from %I', role);
  end if;
end
$$;
comment on function memento._change_worker(name, boolean) is 'internal: gives a role the functions of a worker, or takes them';

comment on function memento.grant_worker(name) is
  'Lets a role work the queue of this database from another machine, with memento-worker: for all projects, through the functions of the worker''s protocol only. For superusers.';
comment on function memento.revoke_worker(name) is 'Takes from a role what grant_worker() gave it. For superusers.';
comment on function memento._backfill_tokens(uuid, bigint) is
  'internal: makes the technical tokens of a project anew that were made by older rules or terms, of at most max_chunks chunks';
comment on function memento._rules_version() is 'internal: the version of the rules for technical tokens';
comment on function memento.job_kinds() is 'The kinds of jobs that workers do.';
comment on function memento.retry_job(bigint) is
  'Tries a job of the current project again, at once: one that has failed or was cancelled, or one that waits. Returns job_id, state and what it was. Needs write access.';
comment on function memento.cancel_job(bigint) is
  'Cancels a job of the current project that waits or runs; what it would have written is dropped. Needs write access.';
comment on function memento.pause_queue(text, text) is
  'Pauses jobs of a kind in the current project, or all of them but build_index, because indexes belong to all projects, and returns how many wait. New ones wait too; what is under way is finished. Needs admin access.';
comment on function memento.resume_queue(text) is
  'Ends a pause and returns how many jobs go on. Without a kind it ends the pause of all kinds; those paused by themselves stay so. Needs admin access.';
comment on function memento.set_budget(bigint, text) is
  'Limits how many tokens models are given for the current project in a day or a month, in UTC. When they are spent, its jobs wait for the next period. null for no limit. Needs admin access.';
comment on function memento.wait_until_idle(interval) is
  'Waits until workers have nothing left to do for the current project; false if that takes longer than the timeout. Jobs that are paused, wait for the next period of a budget or for a model that is not there, or are of a kind that no worker does are not waited for. Needs read access.';
comment on function memento.embedding_profiles_upsert(text, text, text, int, text, jsonb) is
  'Makes an embedding profile, or changes the config of one; its model cannot be changed. The config is checked, and the index asked for. For superusers, because it says which hosts are called and which keys are used.';
comment on function memento.embedding_profiles_list() is
  'All embedding profiles, with how many chunks of the current project have a vector by each, and the state of its index. Needs read access.';
comment on function memento.embedding_health() is
  'How embedding is doing in the current project: the active profile, its index, how many chunks have a vector, jobs by state, and what holds them up. Needs read access.';
comment on function memento.embedding_profiles_fill(text) is
  'Begins to fill a profile for the current project beside the active one, and keeps it filled from then on: the way to another model without a gap. embedding_profiles_list() shows how far it is. Needs admin access.';
comment on function memento.embedding_profiles_activate(text, boolean) is
  'Makes a profile the one that searches of the current project use. What was active stays filled, to switch back to. Refused while chunks have no vector by it, unless forced. null turns dense search off. Needs admin access.';
comment on function memento.admin_reindex_profile(text, boolean) is
  'Asks for the vectors that a profile lacks in the current project, or with from_scratch for all of them anew, and for its index where that is not as it should be. Refused for a profile that the project neither searches by nor fills. Needs admin access.';
comment on function memento.embed(text[], text) is
  'The vectors of texts by the active model of the current project, in their order; as a query by default, or as a document. Waits for the model. Needs read access.';
comment on procedure memento.drain(bigint) is
  'Works the queue in the foreground until nothing is due, or so many jobs are done or have failed, and commits after each step: for servers where the library is not preloaded. For superusers and roles that grant_worker() names.';
