-- What sessions cost, and from when on. Before the first price, the settings of the server decide. Rows are never deleted,
-- so it stays known which price applied when.
create table prices (
  id integer generated always as identity primary key,
  effective_from timestamptz not null,
  core_hour numeric(18, 9) not null check (core_hour >= 0),
  ram_gb_hour numeric(18, 9) not null check (ram_gb_hour >= 0),
  hour numeric(18, 9) not null check (hour >= 0),
  note text not null default '',
  set_by uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  withdrawn_at timestamptz
);
create unique index prices_from on prices (effective_from) where withdrawn_at is null;

-- Where sessions run, as reported last. Closed ones take no new sessions.
create table machines (
  id text primary key,
  engine text not null,
  name text not null,
  version text not null,
  cores double precision not null,
  memory_bytes double precision not null,
  free_memory_bytes double precision,
  load double precision,
  disk_bytes double precision,
  free_disk_bytes double precision,
  -- The sessions that have anything there.
  jobs uuid[] not null default '{}',
  state text not null default 'ready' check (state in ('ready', 'down')),
  closed_at timestamptz,
  closed_by uuid references accounts on delete set null,
  close_note text not null default '',
  seen_at timestamptz not null default now()
);
