-- What people put into file controls. A value names a file by the hash of its content, so that copies of a node share it.
create table node_files (
  hash text primary key,
  size integer not null,
  content bytea not null,
  created_by uuid references accounts (id) on delete set null,
  created_at timestamptz not null default now()
);
create index node_files_created_by on node_files (created_by);
