-- Two-step sign-in: codes of an authenticator app, recovery codes, passkeys.

-- Kept in the transaction that changes the tables below: every call reads it.
alter table accounts add column has_second_factor boolean not null default false;

-- has_two_factors: signed in with two factors. reauthenticated_at: when the person last proved who they are without a password.
alter table sessions add column has_two_factors boolean not null default false, add column reauthenticated_at timestamptz;

-- The secret is sealed. Not confirmed: being set up. last_step: the newest 30 seconds whose code was used.
create table authenticator_apps (
  account_id uuid primary key references accounts (id) on delete cascade,
  secret bytea not null,
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  last_used_at timestamptz
);

create table recovery_codes (
  account_id uuid not null references accounts (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);

create table passkeys (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_account on passkeys (account_id);

-- What a sign-in that is not finished has proved so far, and the challenges of passkeys. Each is used once.
create table sign_in_tickets (
  token_hash bytea primary key,
  kind text not null,
  account_id uuid references accounts (id) on delete cascade,
  method text,
  password_fingerprint bytea,
  challenge text,
  tries int not null default 0,
  expires_at timestamptz not null
);
create index sign_in_tickets_account on sign_in_tickets (account_id);
create index sign_in_tickets_expiry on sign_in_tickets (expires_at);
