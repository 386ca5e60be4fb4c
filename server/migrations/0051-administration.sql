-- What administrators decide without a restart. There is one row.
create table installation_settings (
  one boolean primary key default true check (one),
  registration text not null default 'open' check (registration in ('open', 'invitation', 'domains', 'closed')),
  registration_domains text[] not null default '{}',
  default_visibility text not null default 'public' check (default_visibility in ('public', 'private')),
  second_factor text not null default 'optional' check (second_factor in ('optional', 'admins', 'everybody')),
  announcement text not null default '',
  -- Limits that differ from those of the environment, by name.
  limits jsonb not null default '{}',
  -- Two administrators who change the settings at once: the second is refused.
  version integer not null default 1,
  changed_by uuid references accounts on delete set null,
  changed_at timestamptz
);
insert into installation_settings default values;

alter table accounts
  -- A disabled account cannot sign in, and its tokens are refused.
  add column disabled_at timestamptz,
  -- Limits of this account that differ from those of the installation, by name.
  add column quotas jsonb not null default '{}',
  -- Counts what administrators change about the account.
  add column admin_version integer not null default 1,
  add column last_seen_at timestamptz;
update accounts set last_seen_at =
  (select max(sessions.last_seen_at) from sessions where sessions.account_id = accounts.id);

-- Links to set a password, by the hash of their token. A used link is deleted.
create table password_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  -- The administrator who made it. Null: it was sent by e-mail.
  made_by uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index password_links_account on password_links (account_id);
