-- Labelled queries of a project, and how good searches were on them.

create table memento.eval_set (
  project_id uuid not null references memento.project on delete cascade,
  name text not null,
  saved_at timestamptz not null default pg_catalog.clock_timestamp(),
  saved_by name not null,
  queries jsonb not null,
  primary key (project_id, name),
  constraint eval_set_queries_array check (pg_catalog.jsonb_typeof(queries) = 'array')
);
comment on table memento.eval_set is 'Labelled queries, to measure searches by. Written by save_eval_set().';
comment on column memento.eval_set.project_id is 'The project.';
comment on column memento.eval_set.name is 'Key of the set in its project.';
comment on column memento.eval_set.saved_at is 'When it was last saved.';
comment on column memento.eval_set.saved_by is 'By which role.';
comment on column memento.eval_set.queries is 'As eval() takes them: an array of query and relevant.';

create table memento.eval_run (
  project_id uuid not null,
  run_id uuid not null default pg_catalog.gen_random_uuid(),
  ran_at timestamptz not null default pg_catalog.clock_timestamp(),
  ran_by name not null,
  eval_set text not null,
  profile_id uuid references memento.embedding_profile on delete cascade,
  k int not null,
  lanes jsonb not null,
  primary key (project_id, run_id),
  constraint eval_run_eval_set_fkey foreign key (project_id, eval_set) references memento.eval_set on delete cascade
);
comment on table memento.eval_run is 'How good searches were on a set of labelled queries. Written by run_eval_set().';
comment on column memento.eval_run.project_id is 'The project.';
comment on column memento.eval_run.run_id is 'Key of the run in its project.';
comment on column memento.eval_run.ran_at is 'When.';
comment on column memento.eval_run.ran_by is 'By which role.';
comment on column memento.eval_run.eval_set is 'The set of queries.';
comment on column memento.eval_run.profile_id is 'The embedding profile that was searched by; null without one.';
comment on column memento.eval_run.k is 'How many results counted.';
comment on column memento.eval_run.lanes is 'For each lane, and fused: queries, recall, mrr, ndcg, median_ms.';
create index eval_run_eval_set_idx on memento.eval_run (project_id, eval_set, ran_at);
