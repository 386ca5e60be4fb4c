-- A named set of people. Each team has one owner.
create table teams (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table team_members (
  team_id uuid not null references teams on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('owner', 'manager', 'member')),
  created_at timestamptz not null default now(),
  primary key (team_id, account_id)
);
create index team_members_of on team_members (account_id, team_id);
create unique index team_members_owner on team_members (team_id) where role = 'owner';

-- Teams that are members of a project.
create table project_teams (
  project_id uuid not null references projects on delete cascade,
  team_id uuid not null references teams on delete cascade,
  role text not null check (role in ('viewer', 'editor')),
  created_at timestamptz not null default now(),
  primary key (project_id, team_id)
);
create index project_teams_of on project_teams (team_id, project_id);

-- Who is a member of a project, directly or through a team. Somebody is in it once for each way: the best role counts. Every query
-- that asks who belongs to a project reads this.
create view project_people as
  select project_id, account_id, role, created_at, null::uuid as team_id from project_members
  union all
  select project_teams.project_id, team_members.account_id, project_teams.role,
    greatest(project_teams.created_at, team_members.created_at), team_members.team_id
  from team_members join project_teams on project_teams.team_id = team_members.team_id;

-- Invites one person to a project, or without a project only to the installation.
create table invitations (
  id uuid primary key,
  token_hash bytea not null unique,
  -- Of the link in the mail, which nobody but its reader knows: it proves the address. Null: nothing was mailed.
  mailed_token_hash bytea unique,
  inviter_id uuid not null references accounts on delete cascade,
  project_id uuid references projects on delete cascade,
  role text check (role in ('viewer', 'editor')),
  -- Only this address may use it. Null: whoever has the link.
  email text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by uuid references accounts on delete set null,
  withdrawn_at timestamptz,
  check ((project_id is null) = (role is null))
);
create index invitations_project on invitations (project_id, id);
create index invitations_expired on invitations (expires_at);
create index invitations_inviter on invitations (inviter_id);

-- A project that is offered to a new owner, who has not accepted it yet.
create table project_transfers (
  project_id uuid primary key references projects on delete cascade,
  from_id uuid not null references accounts on delete cascade,
  to_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index project_transfers_to on project_transfers (to_id);
