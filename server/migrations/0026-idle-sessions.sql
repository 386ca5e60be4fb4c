-- When somebody last used a session, and when it ends because nobody does. Runs count by `state_at`.
alter table jobs
  add column used_at timestamptz not null default now(),
  add column ends_at timestamptz;

-- What `input()` asks for is answered in the clear.
alter table password_requests
  add column hidden boolean not null default true,
  add column node_id bigint;
