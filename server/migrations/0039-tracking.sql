-- What training code logs, in the terms of MLflow, and the models that come of it. docs/tracking.md explains it.

create table experiments (
  project_id uuid not null references projects on delete cascade,
  -- Counts the experiments of a project from 0, the default one. Clients know it as the experiment's id.
  number integer not null,
  name text not null,
  -- The workflow whose runs it holds. Null for one that a client made.
  graph_id uuid references graphs on delete set null,
  tags jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (project_id, number),
  unique (project_id, name)
);
create unique index experiments_graph on experiments (graph_id) where graph_id is not null;

-- A run that logged something: a run of a workflow, or one that a client made.
create table tracked_runs (
  -- A run of a workflow has the same id in `runs`. Its row here is made when it first logs something.
  id uuid primary key,
  project_id uuid not null,
  experiment integer not null,
  name text not null default '',
  -- The run of a workflow: itself, or the one whose code made it. `runs` are removed earlier, so nothing refers to them.
  run_id uuid,
  node_id bigint,
  account_id uuid references accounts on delete set null,
  user_name text not null default '',
  status text not null default 'RUNNING',
  began_at timestamptz not null default now(),
  ended_at timestamptz,
  deleted_at timestamptz,
  foreign key (project_id, experiment) references experiments (project_id, number) on delete cascade
);
create index tracked_runs_experiment on tracked_runs (project_id, experiment, began_at, id);
create index tracked_runs_run on tracked_runs (run_id) where run_id is not null;
create index tracked_runs_account on tracked_runs (account_id) where account_id is not null;

create table tracked_params (
  run_id uuid not null references tracked_runs on delete cascade,
  key text not null,
  value text not null,
  primary key (run_id, key)
);
create table tracked_tags (
  run_id uuid not null references tracked_runs on delete cascade,
  key text not null,
  value text not null,
  primary key (run_id, key)
);

-- What is known of a series of metrics without reading its points.
create table metric_summaries (
  run_id uuid not null references tracked_runs on delete cascade,
  name text not null,
  -- Metrics are shown in the order in which they were first logged.
  position integer not null,
  points bigint not null,
  last_value double precision not null,
  last_step double precision not null,
  last_time timestamptz not null,
  -- Of the finite values. Null: there is none.
  min_value double precision,
  min_step double precision,
  max_value double precision,
  max_step double precision,
  primary key (run_id, name)
);

-- Data that a run read, as the client described it.
create table tracked_inputs (
  run_id uuid not null references tracked_runs on delete cascade,
  name text not null,
  digest text not null,
  source_type text not null default '',
  source text not null default '',
  schema text not null default '',
  profile text not null default '',
  tags jsonb not null default '{}',
  primary key (run_id, name, digest)
);

-- A model as training code logged it, whether or not it was given a name in the registry.
create table logged_models (
  -- `m-` and 32 hexadecimal digits.
  id text primary key,
  project_id uuid not null,
  experiment integer not null,
  run_id uuid references tracked_runs on delete set null,
  name text not null,
  type text not null default '',
  status text not null default 'LOGGED_MODEL_PENDING',
  tags jsonb not null default '{}',
  params jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  foreign key (project_id, experiment) references experiments (project_id, number) on delete cascade
);
create index logged_models_experiment on logged_models (project_id, experiment, created_at, id);
create index logged_models_run on logged_models (run_id) where run_id is not null;

-- The newest value of each metric that was logged for a model.
create table logged_model_metrics (
  model_id text not null references logged_models on delete cascade,
  run_id uuid not null,
  name text not null,
  dataset_name text not null default '',
  dataset_digest text not null default '',
  value double precision not null,
  step bigint not null,
  logged_at timestamptz not null,
  primary key (model_id, run_id, name, dataset_name, dataset_digest)
);
create table tracked_outputs (
  run_id uuid not null references tracked_runs on delete cascade,
  model_id text not null references logged_models on delete cascade,
  step bigint not null default 0,
  primary key (run_id, model_id)
);

-- Models that a run used.
create table tracked_model_inputs (
  run_id uuid not null references tracked_runs on delete cascade,
  model_id text not null references logged_models on delete cascade,
  primary key (run_id, model_id)
);
create index tracked_model_inputs_model on tracked_model_inputs (model_id);
create index tracked_outputs_model on tracked_outputs (model_id);

-- Files that clients stored. The content is a file named by its hash; several paths may have the same.
create table artifacts (
  project_id uuid not null references projects on delete cascade,
  -- `{experiment}/{run}/artifacts/…` or `{experiment}/models/{logged model}/artifacts/…`
  path text not null,
  bytes bigint not null,
  sha256 bytea not null,
  created_at timestamptz not null default now(),
  primary key (project_id, path)
);
create index artifacts_content on artifacts (project_id, sha256);

-- A model belongs to its project, and has versions. Its own row keeps what the list shows of the newest.
alter table models add column project_id uuid references projects on delete cascade;
update models set project_id = graphs.project_id from graphs where graphs.id = models.graph_id;
alter table models alter column project_id set not null;
alter table models alter column graph_id drop not null;
alter table models drop constraint models_graph_id_fkey;
alter table models add constraint models_graph_id_fkey foreign key (graph_id) references graphs on delete set null;
alter table models drop constraint models_graph_id_name_key;
-- A name was unique in a workflow, and is now unique in a project. The newest keeps it.
update models set name = models.name || ' (' || graphs.name || ', ' || left(models.id::text, 8) || ')'
from graphs, (
  select id, row_number() over (partition by project_id, name order by updated_at desc, id desc) as place from models
) as placed
where graphs.id = models.graph_id and placed.id = models.id and placed.place > 1;
alter table models add column description text not null default '';
alter table models add column tags jsonb not null default '{}';
alter table models add column latest_version integer not null default 0;
alter table models add column deleted_at timestamptz;
create unique index models_name on models (project_id, name) where deleted_at is null;
create index models_graph on models (graph_id) where graph_id is not null;
create index models_deleted on models (deleted_at) where deleted_at is not null;

create table model_versions (
  model_id uuid not null references models on delete cascade,
  number integer not null,
  tracked_run_id uuid references tracked_runs on delete set null,
  logged_model_id text references logged_models on delete set null,
  -- Where a client says that its files are.
  source text not null default '',
  run_link text not null default '',
  -- What made it: the run, its workflow and version, the node. They may be gone.
  run_id uuid,
  graph_id uuid,
  version_id uuid references graph_versions on delete set null,
  node_id bigint,
  account_id uuid references accounts on delete set null,
  author text not null default '',
  description text not null default '',
  tags jsonb not null default '{}',
  metrics jsonb not null default '{}',
  params jsonb not null default '{}',
  stage text not null default 'None',
  status text not null default 'READY',
  hardware text[] not null default '{}',
  miranda_version text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (model_id, number)
);
create index model_versions_tracked_run on model_versions (tracked_run_id) where tracked_run_id is not null;
create index model_versions_run on model_versions (run_id) where run_id is not null;
create index model_versions_logged on model_versions (logged_model_id) where logged_model_id is not null;
create index model_versions_version on model_versions (version_id) where version_id is not null;
create index model_versions_account on model_versions (account_id) where account_id is not null;
insert into model_versions (model_id, number, run_id, graph_id, node_id, author, metrics, hardware, miranda_version, created_at, updated_at)
select id, 1, run_id, graph_id, node_id, coalesce(authors[1], ''), metrics, hardware, miranda_version, created_at, updated_at from models;
update models set latest_version = 1;

create table model_aliases (
  model_id uuid not null references models on delete cascade,
  alias text not null,
  number integer not null,
  primary key (model_id, alias),
  foreign key (model_id, number) references model_versions (model_id, number) on delete cascade
);
create table model_alias_moves (
  id uuid primary key,
  model_id uuid not null references models on delete cascade,
  alias text not null,
  -- Null: the alias was new, or was removed.
  from_number integer,
  to_number integer,
  account_id uuid references accounts on delete set null,
  author text not null default '',
  reason text not null default '',
  moved_at timestamptz not null default now()
);
create index model_alias_moves_model on model_alias_moves (model_id, id);
create index model_alias_moves_account on model_alias_moves (account_id) where account_id is not null;

-- Metrics of runs become metrics of tracked runs.
insert into experiments (project_id, number, name, graph_id)
select project_id, row_number() over (partition by project_id order by id), name || case when copy = 1 then '' else ' (' || left(id::text, 8) || ')' end, id
from (
  select graphs.*, row_number() over (partition by project_id, name order by id) as copy from graphs
  where id in (select graph_id from runs where id in (select run_id from run_metrics) union select graph_id from models where graph_id is not null)
) as used;
insert into tracked_runs (id, project_id, experiment, name, run_id, account_id, status, began_at, ended_at)
select runs.id, experiments.project_id, experiments.number, 'Run ' || runs.number, runs.id, runs.account_id,
  case when runs.ended_at is null then 'RUNNING' when runs.state = 'done' then 'FINISHED' when runs.state in ('failed', 'crashed') then 'FAILED' else 'KILLED' end,
  runs.began_at, runs.ended_at
from runs join experiments on experiments.graph_id = runs.graph_id
where runs.id in (select run_id from run_metrics union select run_id from models where run_id is not null);
update model_versions set tracked_run_id = run_id where run_id in (select id from tracked_runs);
alter table run_metrics drop constraint run_metrics_run_id_fkey;
alter table run_metrics add constraint run_metrics_run_id_fkey foreign key (run_id) references tracked_runs on delete cascade;

-- Ranges and extremes of a row, so that charts of long series and checks for repeated points read no points.
alter table run_metrics add column first_step double precision, add column last_step double precision,
  add column first_time double precision, add column last_time double precision,
  add column low double precision, add column low_step double precision, add column low_time double precision,
  add column high double precision, add column high_step double precision, add column high_time double precision;
update run_metrics set
  first_step = (select min(step) from unnest(steps) as step), last_step = (select max(step) from unnest(steps) as step),
  first_time = (select min(time) from unnest(times) as time), last_time = (select max(time) from unnest(times) as time),
  (low, low_step, low_time) = (select value, step, time from unnest(values, steps, times) as point(value, step, time)
    where value is not null order by value, step limit 1),
  (high, high_step, high_time) = (select value, step, time from unnest(values, steps, times) as point(value, step, time)
    where value is not null order by value desc, step limit 1);
alter table run_metrics alter column first_step set not null, alter column last_step set not null,
  alter column first_time set not null, alter column last_time set not null;
insert into metric_summaries (run_id, name, position, points, last_value, last_step, last_time,
  min_value, min_step, max_value, max_step)
select summed.run_id, summed.name, row_number() over (partition by summed.run_id order by place), points,
  coalesce(last_value, 'NaN'), last_step, tracked_runs.began_at + last_time * interval '1 second',
  low[1], low[2], high[1], high[2]
from (
  select run_id, name, min(number) as place, sum(points) as points,
    min(array[low, low_step]) filter (where low is not null) as low,
    max(array[high, -high_step]) filter (where high is not null) as high
  from run_metrics group by run_id, name
) as summed
join tracked_runs on tracked_runs.id = summed.run_id
cross join lateral (
  select value, step, time from run_metrics, unnest(values, steps, times) as point(value, step, time)
  where run_metrics.run_id = summed.run_id and run_metrics.name = summed.name
  order by step desc, time desc, value desc nulls last limit 1
) as last(last_value, last_step, last_time);
update metric_summaries set max_step = -max_step where max_step <> 0;
