-- The history of nodes' code. A node may be deleted and brought back within a day, with the same number: neither its
-- history nor its unsaved code goes with its row. What belongs to no node any more is swept.
create table node_commits (
  id uuid primary key,
  metadata_id bigint not null,
  graph_id uuid not null references graphs on delete cascade,
  number integer not null,
  author_id uuid references accounts on delete set null,
  message text not null default '',
  source_code text not null,
  api jsonb not null,
  -- The number of the commit whose code this one brought back.
  restored integer,
  created_at timestamptz not null default now(),
  unique (metadata_id, number)
);
create index node_commits_graph on node_commits (graph_id);

-- Code as people write it together, before it is committed: a Yjs document, always as one compacted state.
create table node_drafts (
  metadata_id bigint primary key,
  graph_id uuid not null references graphs on delete cascade,
  -- Names the document: two documents made from the same text must never be merged, or the text would be there twice.
  epoch uuid not null,
  document bytea not null,
  unsaved boolean not null,
  updated_by uuid references accounts on delete set null,
  updated_at timestamptz not null default now()
);
create index node_drafts_graph on node_drafts (graph_id);
