-- What of a node's code is in its repository: where it was last pulled from or pushed to, and what it was then.
create table node_git (
  metadata_id bigint primary key,
  graph_id uuid not null references graphs on delete cascade,
  repository text not null,
  -- Empty for the repository's own first branch.
  branch text not null,
  commit_hash text not null,
  blob_hash text not null,
  -- The node's newest commit of that time, and the hash of its code.
  number integer not null,
  code_hash bytea not null,
  synced_at timestamptz not null default now()
);
create index node_git_graph on node_git (graph_id);
