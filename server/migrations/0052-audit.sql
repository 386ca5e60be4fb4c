-- Who did what. Rows are added and never changed.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  kind text not null,
  result text not null check (result in ('done', 'refused')),
  -- Null: somebody who was not signed in, or Miranda itself. No foreign keys: a record outlives what it is about.
  actor_id uuid,
  -- The names at that time.
  actor_name text not null default '',
  address text not null default '',
  user_agent text not null default '',
  project_id uuid,
  project_name text not null default '',
  subject_kind text not null default '',
  subject_id text not null default '',
  subject_name text not null default '',
  details jsonb not null default '{}',
  search text not null generated always as (lower(
    actor_name || ' ' || subject_name || ' ' || project_name || ' ' || kind || ' ' || address || ' ' || details::text
  )) stored
);
create index audit_log_search on audit_log using gin (search gin_trgm_ops);
create index audit_log_actor on audit_log (actor_id, id desc);
create index audit_log_subject on audit_log (subject_id, id desc) where subject_kind = 'account';
create index audit_log_project on audit_log (project_id, id desc) where project_id is not null;
create index audit_log_kind on audit_log (kind text_pattern_ops, id desc);
create index audit_log_at on audit_log (at);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log cannot be changed.' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_audit_change();
-- Also while triggers are switched off for a session, as copies of a database do.
alter table audit_log enable always trigger audit_log_append_only;
alter table audit_log enable always trigger audit_log_no_truncate;

-- What a token may do. Tokens from before may do everything that a token may.
alter table access_tokens
  add column scope text not null default 'all' check (scope in ('all', 'read', 'run', 'write')),
  add column project_id uuid references projects on delete cascade,
  add column deployment_id uuid references deployments on delete cascade,
  -- The name of the project or deployment when the token was made.
  add column limited_to text not null default '',
  add column expires_at timestamptz,
  add constraint access_tokens_scope check (scope <> 'all' or (project_id is null and deployment_id is null));
create index access_tokens_project on access_tokens (project_id) where project_id is not null;
create index access_tokens_deployment on access_tokens (deployment_id) where deployment_id is not null;
create index access_tokens_end on access_tokens (expires_at) where expires_at is not null;

-- People see their signed-in browsers and end them by this id. The hash of the cookie stays inside.
alter table sessions
  add column id uuid not null default gen_random_uuid(),
  add column address text not null default '';
create unique index sessions_id on sessions (id);
