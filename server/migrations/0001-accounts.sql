-- One sequence for everything that can be tagged.
create sequence metadata_ids;

create table accounts (
  id uuid primary key,
  username text not null,
  email text not null,
  first_name text not null,
  last_name text not null,
  password_hash text not null,
  is_admin boolean not null default false,
  industry text not null default '',
  role text not null default '',
  phone text not null default '',
  avatar_version text,
  subscribed boolean not null default false,
  trial boolean not null,
  trial_end timestamptz,
  credits numeric(18, 6) not null,
  onboarded_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index accounts_username on accounts (lower(username));
create unique index accounts_email on accounts (lower(email));

create table avatars (
  account_id uuid primary key references accounts on delete cascade,
  version text not null,
  image bytea not null
);

create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_account on sessions (account_id);
create index sessions_expiry on sessions (expires_at);

create table access_tokens (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  hint text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
create index access_tokens_account on access_tokens (account_id);

-- Attempts per key and window: in the database, so that several servers count together and a restart forgets nothing.
create table attempts (
  key text primary key,
  count integer not null,
  expires_at timestamptz not null
);
create index attempts_expiry on attempts (expires_at);
