-- Grows by one with every change of the graph, under the row's lock: the order of the numbers is the order of the commits.
alter table graphs add column revision bigint not null default 0;

-- Nodes and subgraphs published as templates. What the installation ships has a library key and no owner.
create table templates (
  id uuid primary key,
  kind text not null check (kind in ('prefab', 'blueprint')),
  library_key text unique,
  owner_id uuid references accounts on delete cascade,
  public boolean not null default true,
  name text not null,
  description text not null default '',
  tags text[] not null default '{}',
  version integer not null default 1,
  -- {nodes: [{ref, …}], edges: [{source, …}]}; a prefab is one node.
  content jsonb not null,
  node_count integer not null,
  edge_count integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index templates_kind on templates (kind, lower(name));
create index templates_owner on templates (owner_id);

-- The template a node was made from, which of its nodes, and how new it was then.
alter table nodes add column template_id uuid references templates on delete set null;
alter table nodes add column template_ref text;
alter table nodes add column template_version integer;
create index nodes_template on nodes (template_id) where template_id is not null;

-- Who put a tag on a node, by tag.
alter table nodes add column tag_users jsonb not null default '{}';

create table node_groups (
  id uuid primary key,
  graph_id uuid not null references graphs on delete cascade,
  name text not null,
  colour text,
  collapsed boolean not null default false,
  -- Numbers of deleted nodes stay here, so that a node that is brought back is in its group again.
  members bigint[] not null default '{}',
  created_at timestamptz not null default now()
);
create index node_groups_graph on node_groups (graph_id);

-- Deleted nodes with the edges they had, kept for a day: undoing a delete brings back the same numbers and values.
create table deleted_nodes (
  metadata_id bigint primary key,
  graph_id uuid not null references graphs on delete cascade,
  node jsonb not null,
  edges jsonb not null,
  deleted_at timestamptz not null default now()
);
create index deleted_nodes_graph on deleted_nodes (graph_id);
create index deleted_nodes_time on deleted_nodes (deleted_at);
