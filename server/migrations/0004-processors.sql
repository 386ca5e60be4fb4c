-- A processor's session. Its state changes only by updates that name the state they expect.
create table jobs (
  id uuid primary key,
  tag bigint not null,
  graph_id uuid references graphs on delete set null,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  description text not null default '',
  state text not null check (state in ('UNINITIALIZED', 'QUEUED', 'STARTING', 'READY', 'RUNNING', 'RESUMEREADY',
    'KILLING', 'RESTARTING', 'ERROR', 'EXITED')),
  state_at timestamptz not null default now(),
  engine text not null,
  -- What the engine needs to find it again; null until it has been launched.
  engine_ref jsonb,
  token_hash bytea,
  -- What it was given: cpu, ram_gb, gpu, image, max_minutes.
  demand jsonb not null default '{}',
  cpu_capacity double precision not null default 0,
  ram_gb_capacity double precision not null default 0,
  -- The last event, line, sample and command that are stored: kept in the same transaction as what they number.
  last_event bigint not null default 0,
  last_line bigint not null default 0,
  last_sample bigint not null default 0,
  last_command bigint not null default 0,
  -- The last command that changed the state; what the agent says of its state before that is old news.
  state_command bigint not null default 0,
  log_bytes bigint not null default 0,
  -- Lines up to this one were cut to keep the log within its cap.
  cut_line bigint not null default 0,
  total_cost numeric(18, 9),
  cpu_seconds double precision not null default 0,
  ram_gb_seconds double precision not null default 0,
  current_cpu double precision not null default 0,
  current_ram_gb double precision not null default 0,
  -- A break that waits for somebody: people who come later see it too.
  paused jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  seen_at timestamptz
);
create unique index jobs_alive_per_graph on jobs (graph_id) where state not in ('ERROR', 'EXITED');
create index jobs_graph on jobs (graph_id, id);
create index jobs_account on jobs (account_id, id);
create index jobs_alive on jobs (state) where state not in ('ERROR', 'EXITED');

create table job_commands (
  job_id uuid not null references jobs on delete cascade,
  number bigint not null,
  command jsonb not null,
  account_id uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  primary key (job_id, number)
);

-- One row holds a batch of many lines: [first line, lines, level, time, text] each.
create table log_chunks (
  job_id uuid not null references jobs on delete cascade,
  first_line bigint not null,
  lines integer not null,
  bytes integer not null,
  entries text not null,
  primary key (job_id, first_line)
);

create table job_outputs (
  job_id uuid not null references jobs on delete cascade,
  node_id bigint not null,
  run integer not null,
  number integer not null,
  data jsonb not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (job_id, node_id, run, number)
);

create table usage_samples (
  job_id uuid not null references jobs on delete cascade,
  number bigint not null,
  seconds double precision not null,
  cpu_seconds double precision not null,
  ram_gb double precision not null,
  cost numeric(18, 9) not null,
  created_at timestamptz not null default now(),
  primary key (job_id, number)
);

-- What an account was charged or given: one row per session and day, so that it stays readable.
create table ledger (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('usage', 'grant')),
  job_id uuid references jobs on delete set null,
  project_id uuid references projects on delete set null,
  day date not null default current_date,
  amount numeric(18, 9) not null,
  note text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index ledger_job_day on ledger (job_id, day) where kind = 'usage';
create index ledger_account on ledger (account_id, day);

create table models (
  id uuid primary key,
  name text not null,
  graph_id uuid not null references graphs on delete cascade,
  job_id uuid references jobs on delete set null,
  node_id bigint,
  run integer not null default 0,
  graph_revision bigint,
  authors text[] not null default '{}',
  miranda_version text not null default '',
  hardware text[] not null default '{}',
  metrics jsonb not null default '{}',
  artifact text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (graph_id, name)
);
create index models_updated on models (updated_at desc);

-- A secret belongs to a project or, without one, to an account. Its value is encrypted with the installation's key.
create table secrets (
  id uuid primary key,
  key text not null,
  project_id uuid references projects on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  value bytea not null,
  temporary boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index secrets_project on secrets (project_id, key) where project_id is not null;
create unique index secrets_account on secrets (account_id, key) where project_id is null;
create index secrets_temporary on secrets (created_at) where temporary;

-- Questions of node code that wait for a person's answer.
create table password_requests (
  job_id uuid not null references jobs on delete cascade,
  question bigint not null,
  prompt text not null,
  -- Encrypted; there from when somebody answered until the agent has fetched it.
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (job_id, question)
);
