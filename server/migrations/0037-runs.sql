-- One run of a workflow. It outlives its session, so it refers to the session by id and keeps what the session was called.
create table runs (
  id uuid primary key,
  graph_id uuid not null references graphs on delete cascade,
  -- The project of its workflow. The database sets it; moving a workflow changes it.
  project_id uuid,
  -- Who ran it. Null once the account is deleted.
  account_id uuid references accounts on delete set null,
  job_id uuid not null,
  session_tag bigint not null,
  session_name text not null,
  -- Counts the runs of a session from 1, over restarts of its worker.
  number integer not null,
  -- The command that began it.
  command integer not null,
  mode text not null,
  -- The node of the modes one, to and from.
  target bigint,
  -- What began it: a person, a deployment or a schedule.
  source text not null default 'person',
  -- What was run. Made a moment after the run began.
  version_id uuid references graph_versions on delete set null,
  graph_revision integer not null,
  -- The run that it repeats exactly, or continues.
  repeats uuid,
  state text not null default 'running',
  -- Why it ended as it did, in words, when that needs an explanation.
  reason text not null default '',
  -- The node that failed first.
  failed_node bigint,
  nodes_run integer not null default 0,
  nodes_skipped integer not null default 0,
  nodes_failed integer not null default 0,
  -- Those of the skipped nodes whose kept results were used.
  nodes_kept integer not null default 0,
  cost double precision not null default 0,
  cpu_seconds double precision not null default 0,
  ram_gb_seconds double precision not null default 0,
  -- What it may cost. Null: as much as there is.
  budget double precision,
  -- Up to which cost people let it go on after they were asked, whatever the day has cost.
  budget_allowed double precision,
  -- What people are asked: {limit, spent, of, paused, interrupted, seconds}. Null while nobody is asked.
  budget_question jsonb,
  -- Somebody answered before the pause came about. The session goes on as soon as it pauses.
  budget_resumes boolean not null default false,
  budget_asked_at timestamptz,
  -- The last sample of the session before it. Samples after it are its own.
  first_sample bigint not null default 0,
  -- Its last sample, once it has ended. The one after it, which the agent takes at that moment, is added when it comes.
  last_sample bigint,
  -- Its lines in the session's log.
  first_line bigint not null,
  last_line bigint,
  packages jsonb not null default '{}',
  python text not null default '',
  -- Processor, memory and network over its time, at most some hundred points.
  usage jsonb,
  -- What its outputs take. 0 once they were removed to make room.
  output_bytes bigint not null default 0,
  outputs_removed boolean not null default false,
  -- What a search looks in: its workflow, who ran it, its session. The database sets it.
  words text not null default '',
  began_at timestamptz not null default now(),
  ended_at timestamptz,
  -- When people and webhooks were told that it waits for an answer, and that it ended.
  budget_told_at timestamptz,
  told_at timestamptz,
  -- Grows with every change. Of two updates about a run, the one with the lower number is ignored.
  revision integer not null default 0
);
create unique index runs_session on runs (job_id, number);
-- A list is newest first. Ids are in the order of time, so these also find the runs of a date.
create index runs_graph on runs (graph_id, id);
create index runs_graph_state on runs (graph_id, state, id);
create index runs_project on runs (project_id, id);
create index runs_project_state on runs (project_id, state, id);
create index runs_account on runs (account_id, id);
create index runs_version on runs (version_id, id) where version_id is not null;
create index runs_words on runs using gin (words gin_trgm_ops);
-- A session has at most one run that is alive.
create unique index runs_alive on runs (job_id) where ended_at is null;
create index runs_age on runs (began_at);
create index runs_outputs on runs (project_id, id) include (output_bytes) where output_bytes > 0;

-- What each node did in a run, and why it ran or did not.
create table run_nodes (
  run_id uuid not null references runs on delete cascade,
  node_id bigint not null,
  name text not null,
  planned boolean not null,
  reason text not null default '',
  -- Empty for a node that was not planned.
  status text not null default '',
  seconds double precision not null default 0,
  fires integer not null default 0,
  -- When it was ready, began and ended, in seconds since the run began: [[ready, began, ended], …], at most some dozen.
  spans jsonb not null default '[]',
  -- The key of what it sent, when that is kept.
  result text,
  primary key (run_id, node_id)
);

-- An exception that a node raised, with the variables of its frames.
create table run_exceptions (
  run_id uuid not null references runs on delete cascade,
  number integer not null,
  node_id bigint,
  line integer not null,
  function text not null,
  traceback text not null,
  frames jsonb not null default '[]',
  raised_at timestamptz not null default now(),
  primary key (run_id, number)
);

-- Numbers that node code logged, some hundred points in a row.
create table run_metrics (
  run_id uuid not null references runs on delete cascade,
  name text not null,
  number integer not null,
  node_id bigint,
  -- How many points this row has, so that counting reads no points.
  points integer not null,
  steps double precision[] not null,
  -- Null is a gap: the value was not finite.
  values double precision[] not null,
  -- In seconds since the run began.
  times double precision[] not null,
  primary key (run_id, name, number)
);

-- What nodes sent, kept for later sessions of the project. The content is a file; this row is what is believed about it.
create table results (
  project_id uuid not null references projects on delete cascade,
  key text not null,
  bytes bigint not null,
  sha256 bytea not null,
  -- How long the node took to make it.
  seconds double precision not null,
  graph_id uuid,
  node_id bigint not null,
  run_id uuid,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  primary key (project_id, key)
);
create index results_used on results (project_id, used_at);

-- What people are told.
create table notifications (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null,
  run_id uuid references runs on delete cascade,
  project_id uuid references projects on delete cascade,
  title text not null,
  body text not null default '',
  read_at timestamptz,
  created_at timestamptz not null default now()
);
create index notifications_account on notifications (account_id, id);
create index notifications_unread on notifications (account_id) where read_at is null;
create index notifications_run on notifications (run_id) where run_id is not null;
create index notifications_project on notifications (project_id) where project_id is not null;
create index notifications_age on notifications (created_at);
alter table accounts add column notification_settings jsonb not null default '{}';

-- What a project calls when a run ends. The secret that signs the calls is encrypted.
create table webhooks (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  url text not null,
  secret bytea not null,
  events text[] not null,
  enabled boolean not null default true,
  -- Since when every call failed, and whether the owner knows.
  failing_since timestamptz,
  failure_told boolean not null default false,
  -- Why the server turned it off. Empty when a person did.
  disabled_reason text not null default '',
  created_by uuid references accounts on delete set null,
  created_at timestamptz not null default now()
);
create index webhooks_project on webhooks (project_id, id);

create table webhook_calls (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  run_id uuid,
  event text not null,
  body text not null,
  tries integer not null default 0,
  -- When it is tried next. Null: it arrived, or was given up.
  next_at timestamptz,
  -- The last answer: a status, or why there was none.
  status integer,
  answer text not null default '',
  -- How long the last try took.
  seconds double precision,
  created_at timestamptz not null default now(),
  answered_at timestamptz
);
create index webhook_calls_hook on webhook_calls (webhook_id, id);
create index webhook_calls_due on webhook_calls (next_at) where next_at is not null;

create index webhooks_creator on webhooks (created_by) where created_by is not null;
-- What is left to tell, and who is still asked.
create index runs_untold on runs (ended_at) where ended_at is not null and told_at is null;
create index runs_asked on runs (budget_asked_at) where budget_asked_at is not null;

-- In credits. Null: no limit.
alter table projects add column run_budget double precision;
alter table projects add column day_budget double precision;
-- What a project cost today.
create index ledger_project_day on ledger (project_id, day) where project_id is not null;
drop index ledger_project;

create function set_run_project() returns trigger language plpgsql as $$
begin
  -- Locked: a workflow that is being moved would leave its new run in the old project.
  select project_id into new.project_id from graphs where id = new.graph_id for share;
  return new;
end
$$;
create trigger runs_project before insert or update of graph_id on runs for each row execute function set_run_project();

create function set_run_words() returns trigger language plpgsql as $$
begin
  new.words := lower(concat_ws(' ', (select name from graphs where id = new.graph_id), new.session_name,
    (select concat_ws(' ', username, first_name, last_name) from accounts where id = new.account_id)));
  return new;
end
$$;
create trigger runs_words before insert or update of graph_id, account_id, session_name on runs
  for each row execute function set_run_words();

create function rename_runs() returns trigger language plpgsql as $$
begin
  update runs set session_name = session_name where graph_id = new.id;
  return null;
end
$$;
create trigger graphs_renamed after update of name on graphs for each row when (old.name is distinct from new.name)
  execute function rename_runs();

-- That people were told about a run changes nothing they see of it.
create trigger runs_revision before update on runs for each row
  when (old.told_at is not distinct from new.told_at and old.budget_told_at is not distinct from new.budget_told_at)
  execute function count_job_revision();

-- How many runs a session had, and how the last one ended.
alter table jobs add column runs integer not null default 0;
alter table jobs add column last_run_id uuid;
alter table jobs add column last_run_state text;

-- Outputs go with their run, however it is removed.
create function remove_run_outputs() returns trigger language plpgsql as $$
begin
  delete from job_outputs using before where job_outputs.job_id = before.job_id and job_outputs.run = before.number;
  update jobs set output_bytes = greatest(0, jobs.output_bytes - gone.bytes),
      last_run_id = case when last_run_id = any(gone.ids) then null else last_run_id end,
      last_run_state = case when last_run_id = any(gone.ids) then null else last_run_state end
    from (select job_id, sum(output_bytes) as bytes, array_agg(id) as ids from before group by job_id) as gone
    where jobs.id = gone.job_id;
  return null;
end
$$;
create trigger runs_deleted after delete on runs referencing old table as before
  for each statement execute function remove_run_outputs();

-- Sessions that live through the update go on counting where their workers are.
update jobs set runs = (select coalesce(max(run), 0) from job_nodes where job_id = jobs.id)
  where state not in ('ERROR', 'EXITED');

-- The run that trained a model. The session is removed earlier.
alter table models add column run_id uuid references runs on delete set null;
create index models_run on models (run_id) where run_id is not null;

-- Outputs of a run stay as long as the run, and a run stays longer than its session.
alter table job_outputs drop constraint job_outputs_job_id_fkey;
-- The network since the session began, so that a run can show it over time.
alter table usage_samples add column received_bytes double precision;
alter table usage_samples add column sent_bytes double precision;

-- Counts the sessions of a workflow, for people: a tag is a random number.
alter table jobs add column number integer;
update jobs set number = counted.number
from (select id, row_number() over (partition by graph_id order by id) as number from jobs) as counted
where jobs.id = counted.id and jobs.graph_id is not null;
alter table runs add column session_number integer;

create function set_session_number() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'runs' then
    select number into new.session_number from jobs where id = new.job_id;
  else
    -- The newest of each: old sessions are removed, and runs stay longer.
    new.number := 1 + greatest(0, (select number from jobs where graph_id = new.graph_id order by id desc limit 1),
      (select session_number from runs where graph_id = new.graph_id order by id desc limit 1));
  end if;
  return new;
end
$$;
create trigger jobs_number before insert on jobs for each row execute function set_session_number();
create trigger runs_session_number before insert on runs for each row execute function set_session_number();

-- Finds what of a workflow is kept.
create index results_graph on results (graph_id, node_id);
