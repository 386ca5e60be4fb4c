create table projects (
  id uuid primary key,
  metadata_id bigint not null unique default nextval('metadata_ids'),
  owner_id uuid not null references accounts on delete cascade,
  name text not null,
  description text not null default '',
  visibility text not null default 'public' check (visibility in ('public', 'private')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index projects_owner on projects (owner_id, id);
create index projects_visibility on projects (visibility, id);

create table project_members (
  project_id uuid not null references projects on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('viewer', 'editor')),
  created_at timestamptz not null default now(),
  primary key (project_id, account_id)
);
create index project_members_account on project_members (account_id);

create table follows (
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references projects on delete cascade,
  created_at timestamptz not null default now(),
  primary key (account_id, project_id)
);
create index follows_project on follows (project_id);

create table graphs (
  id uuid primary key,
  metadata_id bigint not null unique default nextval('metadata_ids'),
  project_id uuid not null references projects on delete cascade,
  name text not null,
  description text not null default '',
  created_by uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index graphs_project on graphs (project_id, id);
create index graphs_name on graphs (lower(name));

create table nodes (
  metadata_id bigint primary key default nextval('metadata_ids'),
  id uuid not null unique,
  graph_id uuid not null references graphs on delete cascade,
  class text not null check (class in ('Code_block', 'compute_policy', 'storage_policy')),
  name text not null,
  description text not null default '',
  "order" integer not null default 0,
  x double precision not null default 0,
  y double precision not null default 0,
  colour text,
  -- What the code declares; what people set on the graph is in field_values, so that two people never overwrite
  -- each other's fields and new code keeps them.
  api jsonb not null default '{"compiled": true, "error": null, "disabled": false, "attributes": []}',
  field_values jsonb not null default '{}',
  body jsonb,
  source_code text not null default '',
  tags text[] not null default '{}',
  locked boolean not null default false,
  git text,
  git_branch text,
  status text,
  update_policy text check (update_policy in ('linked', 'detached')),
  updated_by uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index nodes_graph on nodes (graph_id);

create table edges (
  graph_id uuid not null references graphs on delete cascade,
  source_id bigint not null references nodes on delete cascade,
  transmitter text not null,
  target_id bigint not null references nodes on delete cascade,
  receiver text not null,
  segments jsonb not null default '[]',
  label text not null default '',
  created_by uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  primary key (source_id, transmitter, target_id, receiver)
);
create index edges_graph on edges (graph_id);
create index edges_target on edges (target_id);
