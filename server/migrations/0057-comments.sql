-- What people say about a workflow. A thread is pinned to a node, to a line of its code, or to a run, and outlives them:
-- nodes are referred to by number.
create table comment_threads (
  id uuid primary key,
  graph_id uuid not null references graphs on delete cascade,
  kind text not null check (kind in ('node', 'line', 'run')),
  metadata_id bigint,
  node_name text not null default '',
  line integer,
  line_text text not null default '',
  -- A Yjs relative position in the document of this epoch. It moves with edits.
  anchor bytea,
  epoch uuid,
  run_id uuid references runs on delete set null,
  run_number integer,
  -- Without deleted ones.
  comments integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  resolved_at timestamptz,
  resolved_by uuid references accounts on delete set null
);
create index comment_threads_graph on comment_threads (graph_id, id);
create index comment_threads_open on comment_threads (graph_id, metadata_id) where resolved_at is null;
create index comment_threads_run on comment_threads (run_id) where run_id is not null;
create index comment_threads_resolver on comment_threads (resolved_by) where resolved_by is not null;

create table comments (
  id uuid primary key,
  thread_id uuid not null references comment_threads on delete cascade,
  graph_id uuid not null references graphs on delete cascade,
  account_id uuid references accounts on delete set null,
  -- Of the browser: the same comment that is sent twice is stored once.
  key uuid not null,
  body text not null,
  created_at timestamptz not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz
);
create index comments_thread on comments (thread_id, id);
create index comments_graph on comments (graph_id);
create unique index comments_key on comments (account_id, key);

-- Who was told by which comment.
create table comment_mentions (
  comment_id uuid not null references comments on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  thread_id uuid not null references comment_threads on delete cascade,
  primary key (comment_id, account_id)
);
create index comment_mentions_account on comment_mentions (account_id, thread_id);
create index comment_mentions_thread on comment_mentions (thread_id);

-- The thread that a notification opens.
alter table notifications add column thread_id uuid references comment_threads on delete cascade;
create index notifications_thread on notifications (thread_id) where thread_id is not null;
