-- Backups of this installation: those that run, and the last ones. They are not part of a backup themselves.
create table backups (
  id uuid primary key,
  state text not null check (state in ('RUNNING', 'DONE', 'FAILED')),
  made_by text not null check (made_by in ('command', 'schedule', 'person')),
  account_id uuid references accounts on delete set null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  file text not null,
  bytes bigint,
  has_key boolean not null,
  -- Of the step that runs.
  step text not null default 'files' check (step in ('files', 'database', 'check')),
  done bigint not null default 0,
  total bigint not null default 0,
  -- Files that rows name and that were not there, and what could not be copied.
  missing integer not null default 0,
  problem text,
  -- When its archive was removed, because there are newer ones.
  removed_at timestamptz
);
create index backups_started on backups (started_at desc);
