-- Mails that wait for the mail server. Sealed: their links let people in.
create table mails (
  id uuid primary key,
  content bytea not null,
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index mails_due on mails (due_at, id);

-- When the person showed that mails to this address reach them. Null: not yet, or nobody asked.
alter table accounts add column email_verified_at timestamptz;
-- The hash of a password that nobody knows. While password_hash equals it, the account has no password.
alter table accounts add column generated_password_hash text;
-- Registered with an address of a domain that may: nobody signs in before it is confirmed.
alter table accounts add column must_confirm_email boolean not null default false;

create table email_confirmations (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  expires_at timestamptz not null
);
create index email_confirmations_account on email_confirmations (account_id);

-- Which account of a provider belongs to which of ours.
create table account_identities (
  provider text not null,
  subject text not null,
  account_id uuid not null references accounts on delete cascade,
  email text not null default '',
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (provider, subject),
  unique (account_id, provider)
);

-- Sign-ins that people began at a provider. Each is used once.
create table provider_sign_ins (
  state_hash bytea primary key,
  browser_hash bytea not null,
  provider text not null,
  content bytea not null,
  expires_at timestamptz not null
);
create index provider_sign_ins_expiry on provider_sign_ins (expires_at);
