-- Evidence packs: what was retrieved for a query, and why. Ids, places and spans, no text of memories.

create table memento.evidence_pack (
  project_id uuid not null references memento.project on delete cascade,
  pack_id uuid not null default pg_catalog.gen_random_uuid(),
  created_at timestamptz not null default pg_catalog.clock_timestamp(),
  created_by name not null,
  query text not null,
  settings jsonb not null,
  lanes jsonb not null,
  evidence jsonb not null,
  item_ids uuid[] not null,
  digest bytea not null,
  primary key (project_id, pack_id),
  constraint evidence_pack_evidence_array check (pg_catalog.jsonb_typeof(evidence) = 'array')
);
comment on table memento.evidence_pack is 'What retrieve() has given: enough to explain it and to make it again. Erased with any of its items by forget(), and after memento.keep_packs.';
comment on column memento.evidence_pack.project_id is 'The project.';
comment on column memento.evidence_pack.pack_id is 'Key of the pack in its project: query_id of the pack.';
comment on column memento.evidence_pack.created_at is 'When.';
comment on column memento.evidence_pack.created_by is 'For which role.';
comment on column memento.evidence_pack.query is 'The query.';
comment on column memento.evidence_pack.settings is 'The arguments of retrieve() and what the query told.';
comment on column memento.evidence_pack.lanes is 'Each lane: its weight, what it used and how long it took, or why it did not run.';
comment on column memento.evidence_pack.evidence is 'In the order of the pack: evidence_id, chunk, item, version, span of the snippet, score, and its places in the lanes.';
comment on column memento.evidence_pack.item_ids is 'The items of the evidence.';
comment on column memento.evidence_pack.digest is 'SHA-256 of what was shown, without query_id and notes; by it replay_pack() knows whether it makes the same.';
create index evidence_pack_item_ids_idx on memento.evidence_pack using gin (item_ids);
create index evidence_pack_created_at_idx on memento.evidence_pack (created_at);

create function memento._sweep_packs(keep interval, batch int) returns bigint
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  swept bigint;
begin
  delete from memento.evidence_pack p
   using (select o.project_id, o.pack_id from memento.evidence_pack o
           where o.created_at < now() - keep
           order by o.created_at limit batch for update skip locked) old
   where p.project_id = old.project_id and p.pack_id = old.pack_id;
  get diagnostics swept = row_count;
  return swept;
end
$$;
comment on function memento._sweep_packs(interval, int) is 'worker: deletes packs that were given long ago, and returns how many';
