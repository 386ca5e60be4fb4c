-- Serves versions of one workflow to people and programs.
create table deployments (
  id uuid primary key,
  graph_id uuid not null unique references graphs on delete cascade,
  -- Who deployed it, and pays unless the callers do. Null once the account is deleted: then it serves nothing.
  owner_id uuid references accounts on delete set null,
  -- In addresses.
  name text not null unique,
  title text not null,
  description text not null default '',
  tags text[] not null default '{}',
  -- 'project', 'accounts', 'people' or 'link'.
  access text not null default 'project',
  -- The secret part of the link's address. It stays when the access changes, and opens nothing meanwhile.
  link text unique,
  embed_origins text[] not null default '{}',
  -- The address for other programs: a hash of its secret part, its last characters, and the key that signs, encrypted.
  hook_hash bytea unique,
  hook_hint text not null default '',
  hook_secret bytea,
  -- The field that gets the raw body. Null: the body is JSON by field name.
  hook_field text,
  hook_at timestamptz,
  paused boolean not null default false,
  at_once integer not null default 2,
  warm integer not null default 0,
  idle_minutes integer not null default 10,
  queue_max integer not null default 100,
  -- In credits. Null: no limit.
  call_budget double precision,
  day_budget double precision,
  call_seconds integer,
  payer text not null default 'owner',
  -- {cpu, ram_gb}. Null: what the compute policies of the workflow say.
  compute jsonb,
  picture bytea,
  picture_version text,
  production_id uuid,
  staging_id uuid,
  -- What a search looks in. The database sets it.
  words text not null default '',
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
create index deployments_owner on deployments (owner_id) where owner_id is not null;
create index deployments_words on deployments using gin (words gin_trgm_ops);
create index deployments_title on deployments (lower(title), id);
create index deployments_tags on deployments using gin (tags);
create index deployments_warm on deployments (id) where warm > 0;

create function set_deployment_words() returns trigger language plpgsql as $$
begin
  new.words := lower(concat_ws(' ', new.name, new.title, new.description, array_to_string(new.tags, ' ')));
  return new;
end
$$;
create trigger deployments_words before insert or update of name, title, description, tags on deployments
  for each row execute function set_deployment_words();

-- A version with its form. It never changes, except for `served_at`.
create table releases (
  id uuid primary key,
  deployment_id uuid not null references deployments on delete cascade,
  number integer not null,
  -- Checked at the end: a workflow is deleted with its versions and its deployment.
  version_id uuid not null references graph_versions deferrable initially deferred,
  -- A `ReleaseForm`.
  form jsonb not null,
  note text not null default '',
  account_id uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  -- When it last became production.
  served_at timestamptz,
  unique (deployment_id, number)
);
create index releases_version on releases (version_id);
alter table deployments add foreign key (production_id) references releases on delete set null;
alter table deployments add foreign key (staging_id) references releases on delete set null;

-- Who may use a deployment with the access 'people'.
create table deployment_people (
  deployment_id uuid not null references deployments on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  primary key (deployment_id, account_id)
);
create index deployment_people_account on deployment_people (account_id);

-- What an account did with an app of the gallery.
create table deployment_marks (
  account_id uuid not null references accounts on delete cascade,
  deployment_id uuid not null references deployments on delete cascade,
  favourite boolean not null default false,
  used_at timestamptz,
  primary key (account_id, deployment_id)
);
create index deployment_marks_used on deployment_marks (account_id, used_at) where used_at is not null;
create index deployment_marks_deployment on deployment_marks (deployment_id);

-- A token that can call one deployment and do nothing else. It acts for the account that made it.
create table deployment_tokens (
  id uuid primary key,
  deployment_id uuid not null references deployments on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  name text not null default '',
  token_hash bytea not null unique,
  hint text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index deployment_tokens_deployment on deployment_tokens (deployment_id, id);
create index deployment_tokens_account on deployment_tokens (account_id);

-- A call of a deployment. It is a run: once it runs, the run has the same id. Its state follows the run by a trigger.
create table calls (
  id uuid primary key,
  deployment_id uuid not null references deployments on delete cascade,
  release_id uuid not null references releases on delete cascade,
  channel text not null default 'production',
  via text not null,
  -- Who called. Null for visitors of a link, and once the account is deleted.
  account_id uuid references accounts on delete set null,
  -- Of somebody without an account: a hash of the secret in the visitor's cookie.
  visitor_hash bytea,
  token_id uuid references deployment_tokens on delete set null,
  schedule_id uuid,
  -- Who pays for the run.
  payer_id uuid references accounts on delete set null,
  -- By field name, as they were checked.
  inputs jsonb not null,
  -- With a hash of the body: the same key with another body is refused.
  idempotency_key text,
  body_hash bytea,
  state text not null default 'queued',
  reason text not null default '',
  -- The session that was given it.
  job_id uuid,
  -- Somebody wants it to end.
  cancelled boolean not null default false,
  -- Why it is being ended, and since when.
  ending text,
  ending_at timestamptz,
  cost double precision not null default 0,
  -- The hash of the secret in the address of the shared result.
  share_hash bytea unique,
  share text,
  reported_at timestamptz,
  revision integer not null default 0,
  created_at timestamptz not null default now(),
  began_at timestamptz,
  ended_at timestamptz
);
create index calls_deployment on calls (deployment_id, id);
create index calls_deployment_state on calls (deployment_id, state, id);
create index calls_caller on calls (account_id, deployment_id, id) where account_id is not null;
create index calls_caller_alive on calls (account_id, deployment_id, id) where ended_at is null and account_id is not null;
create index calls_visitor on calls (visitor_hash, deployment_id, id) where visitor_hash is not null;
create index calls_schedule on calls (schedule_id, id) where schedule_id is not null;
create index calls_schedule_alive on calls (schedule_id) where schedule_id is not null and ended_at is null;
create index calls_queue on calls (deployment_id, id) where state = 'queued';
create index calls_unended on calls (deployment_id, id) where ended_at is null;
create index calls_alive on calls (job_id) where ended_at is null and job_id is not null;
create index calls_release on calls (release_id);
create index calls_day on calls (deployment_id, created_at);
create index calls_token on calls (token_id) where token_id is not null;
create index calls_payer on calls (payer_id) where payer_id is not null;
create unique index calls_idempotency on calls (deployment_id, coalesce(account_id::text, encode(visitor_hash, 'hex'), ''), idempotency_key)
  where idempotency_key is not null;
create trigger calls_revision before update on calls for each row execute function count_job_revision();

-- The state of a call is that of its run, whoever changes it.
create function follow_run() returns trigger language plpgsql as $$
begin
  update calls set state = new.state, reason = new.reason, cost = new.cost, began_at = coalesce(began_at, new.began_at),
      ended_at = new.ended_at, job_id = new.job_id
    where id = new.id
      and (state, reason, cost, ended_at) is distinct from (new.state, new.reason, new.cost, new.ended_at);
  return null;
end
$$;
create trigger runs_of_calls after insert or update of state, reason, cost, ended_at on runs
  for each row when (new.source <> 'person') execute function follow_run();

-- The files that callers sent.
create table call_files (
  call_id uuid not null references calls on delete cascade,
  hash text not null references node_files,
  primary key (call_id, hash)
);
create index call_files_hash on call_files (hash);

-- Who has to pay for a run, when it is not the account that started its session.
alter table runs add column payer_id uuid references accounts on delete set null;
create index runs_payer on runs (payer_id) where payer_id is not null;

-- A session may be paid by several accounts on one day. What a deployment has cost today is read for every call.
alter table ledger add column deployment_id uuid;
drop index ledger_job_day;
create unique index ledger_job_day on ledger (job_id, account_id, day) where kind = 'usage';
create index ledger_deployment_day on ledger (deployment_id, day) where deployment_id is not null;

-- Sessions of deployments. They belong to the workflow too, but the editor has a session of its own.
-- By id without a foreign key: a session of a deleted deployment is still none of the editor's until it has ended.
alter table jobs add column deployment_id uuid;
alter table jobs add column release_id uuid;
create index jobs_deployment on jobs (deployment_id, id) where deployment_id is not null;
create index jobs_release on jobs (release_id) where release_id is not null;
drop index jobs_alive_per_graph;
create unique index jobs_alive_per_graph on jobs (graph_id)
  where state not in ('ERROR', 'EXITED') and deployment_id is null;
create index jobs_serving on jobs (deployment_id) where deployment_id is not null and state not in ('ERROR', 'EXITED');

-- The content of a file that a node showed. What people see of it (name, type, size) is in the output.
create table job_output_files (
  job_id uuid not null,
  node_id bigint not null,
  run integer not null,
  number integer not null,
  content bytea not null,
  primary key (job_id, node_id, run, number),
  foreign key (job_id, node_id, run, number) references job_outputs on delete cascade
);
-- An output that replaces another has its own content, or none. What nobody can download must not take room.
create function drop_output_file() returns trigger language plpgsql as $$
begin
  delete from job_output_files
    where job_id = old.job_id and node_id = old.node_id and run = old.run and number = old.number;
  return null;
end
$$;
create trigger job_outputs_replaced after update of data on job_outputs for each row execute function drop_output_file();

-- Calls a deployment at times.
create table schedules (
  id uuid primary key,
  deployment_id uuid not null references deployments on delete cascade,
  name text not null,
  cron text,
  every_minutes integer,
  timezone text not null default 'UTC',
  inputs jsonb not null default '{}',
  channel text not null default 'production',
  overlap text not null default 'skip',
  missed text not null default 'latest',
  paused boolean not null default false,
  paused_reason text not null default '',
  failures integer not null default 0,
  failures_max integer not null default 5,
  told text not null default 'creator',
  -- Who made it. Calls are made as this account; without it the schedule pauses.
  account_id uuid references accounts on delete set null,
  -- The next tick. Null while it is paused.
  next_at timestamptz,
  created_at timestamptz not null default now(),
  check ((cron is null) <> (every_minutes is null))
);
create index schedules_deployment on schedules (deployment_id, id);
create index schedules_due on schedules (next_at) where next_at is not null;
create index schedules_account on schedules (account_id) where account_id is not null;

-- One row for each time at which a schedule was due: whoever inserts it has it called.
create table schedule_ticks (
  schedule_id uuid not null references schedules on delete cascade,
  -- In milliseconds, as our code has it.
  at timestamptz(3) not null,
  -- 'due', 'called', 'skipped', 'missed' or 'refused'.
  outcome text not null default 'due',
  reason text not null default '',
  call_id uuid references calls on delete set null,
  -- Of a due one: when a server may take it. A server that takes it moves this on, and when it is killed another one takes it.
  try_at timestamptz not null default now(),
  tries integer not null default 0,
  -- The server was down at its time.
  made_up boolean not null default false,
  -- Whether the end of its call was counted.
  counted boolean not null default false,
  primary key (schedule_id, at)
);
create index schedule_ticks_due on schedule_ticks (try_at) where outcome = 'due';
create index schedule_ticks_open on schedule_ticks (call_id) where outcome = 'called' and not counted;
create index schedule_ticks_call on schedule_ticks (call_id) where call_id is not null;

-- The files that schedules of a deployment may send.
create table schedule_files (
  deployment_id uuid not null references deployments on delete cascade,
  hash text not null references node_files,
  created_at timestamptz not null default now(),
  primary key (deployment_id, hash)
);
create index schedule_files_hash on schedule_files (hash);
