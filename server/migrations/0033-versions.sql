-- A node and a group keep their lineage in every version and in every clone of their workflow. By it versions and clones
-- are compared and merged.
alter table nodes add column lineage uuid not null default gen_random_uuid();
create unique index nodes_lineage on nodes (graph_id, lineage);
alter table node_groups add column lineage uuid not null default gen_random_uuid();
-- The number of the newest named version. The number of a deleted version is never used again: links name it.
alter table graphs add column last_version integer not null default 0;
update deleted_nodes set node = node || jsonb_build_object('lineage', gen_random_uuid());

-- What versions consist of, compressed. Each part has some nodes with their edges. Versions that have the same nodes
-- share their parts.
create table version_parts (
  hash bytea primary key,
  content bytea not null,
  -- The files that values of its nodes name. A version keeps them.
  files text[] not null default '{}',
  -- When it was stored, or used again by a later version.
  created_at timestamptz not null default now()
);
create index version_parts_files on version_parts using gin (files) where files <> '{}';

-- Parts of removed versions. Housekeeping removes those that nothing else uses.
create table loose_parts (
  hash bytea primary key,
  since timestamptz not null default now()
);
create index loose_parts_since on loose_parts (since);

-- A version never changes. A named one has a number; the others were made by the server for a reason.
create table graph_versions (
  id uuid primary key,
  graph_id uuid not null references graphs on delete cascade,
  number integer,
  reason text not null,
  name text not null default '',
  message text not null default '',
  author_id uuid references accounts on delete set null,
  revision integer not null,
  node_count integer not null,
  edge_count integer not null,
  parts bytea[] not null,
  -- What was left out of a published version: for each lineage, the revision of the workflow that it is from.
  left_out jsonb not null default '{}',
  -- How often this version was run, and when last.
  runs integer not null default 0,
  last_run_at timestamptz,
  published_at timestamptz,
  created_at timestamptz not null default now(),
  -- Automatic ones: 0 when it is new, 1 when it stands for an hour, 2 for a day, 3 for a week.
  thinned smallint not null default 0,
  check ((number is not null) = (reason = 'named'))
);
create unique index graph_versions_number on graph_versions (graph_id, number) where number is not null;
create index graph_versions_newest on graph_versions (graph_id, id);
create index graph_versions_automatic on graph_versions (thinned, created_at) where number is null;
create index graph_versions_published on graph_versions (graph_id, number) where published_at is not null;
create index graph_versions_author on graph_versions (author_id);
create index graph_versions_parts on graph_versions using gin (parts);

-- Where a clone came from, and what both had in common when they were cloned or merged last.
create table graph_origins (
  graph_id uuid primary key references graphs on delete cascade,
  origin_id uuid references graphs on delete set null,
  base_parts bytea[] not null,
  based_at timestamptz not null default now()
);
create index graph_origins_origin on graph_origins (origin_id);
create index graph_origins_parts on graph_origins using gin (base_parts);

create function note_loose_parts() returns trigger language plpgsql as $$
begin
  -- In one order: two transactions that note the same parts must not wait for each other.
  if tg_table_name = 'graph_versions' then
    insert into loose_parts (hash) select distinct unnest(parts) as hash from before order by hash
    on conflict (hash) do update set since = now();
  else
    insert into loose_parts (hash) select distinct unnest(base_parts) as hash from before order by hash
    on conflict (hash) do update set since = now();
  end if;
  return null;
end
$$;

create trigger graph_versions_deleted after delete on graph_versions referencing old table as before
  for each statement execute function note_loose_parts();
create trigger graph_origins_deleted after delete on graph_origins referencing old table as before
  for each statement execute function note_loose_parts();
create trigger graph_origins_updated after update on graph_origins referencing old table as before
  for each statement execute function note_loose_parts();

-- Who changed which node, when last, and in which revision of the workflow. Moving a node counts apart.
create table node_edits (
  graph_id uuid not null references graphs on delete cascade,
  metadata_id bigint not null,
  account_id uuid not null references accounts on delete cascade,
  edited_at timestamptz,
  edited_revision integer,
  moved_at timestamptz,
  moved_revision integer,
  primary key (graph_id, metadata_id, account_id)
);
create index node_edits_account on node_edits (account_id);

-- The transaction of a change says who makes it (`miranda.account`) and which revision it makes (`miranda.revision`).
-- What else writes to these tables is no edit.
create function editing_account() returns uuid language sql stable as $$
  select nullif(current_setting('miranda.account', true), '')::uuid
$$;
create function editing_revision() returns integer language sql stable as $$
  select nullif(current_setting('miranda.revision', true), '')::integer
$$;

create function note_node_edits() returns trigger language plpgsql as $$
begin
  if editing_account() is null then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    insert into node_edits (graph_id, metadata_id, account_id, edited_at, edited_revision, moved_at, moved_revision)
    select after.graph_id, after.metadata_id, editing_account(),
      case when is_edited then now() end, case when is_edited then editing_revision() end,
      case when is_moved then now() end, case when is_moved then editing_revision() end
    from after join before using (metadata_id)
    cross join lateral (select
      (after.x, after.y) is distinct from (before.x, before.y) as is_moved,
      (after.name, after.description, after."order", after.colour, after.api, after.field_values, after.body,
        after.source_code, after.tags, after.locked, after.git, after.git_branch, after.template_version)
      is distinct from
      (before.name, before.description, before."order", before.colour, before.api, before.field_values, before.body,
        before.source_code, before.tags, before.locked, before.git, before.git_branch, before.template_version)
      as is_edited) as difference
    where is_edited or is_moved
    on conflict (graph_id, metadata_id, account_id) do update
    set edited_at = coalesce(excluded.edited_at, node_edits.edited_at),
      edited_revision = coalesce(excluded.edited_revision, node_edits.edited_revision),
      moved_at = coalesce(excluded.moved_at, node_edits.moved_at),
      moved_revision = coalesce(excluded.moved_revision, node_edits.moved_revision);
  elsif tg_op = 'INSERT' then
    insert into node_edits (graph_id, metadata_id, account_id, edited_at, edited_revision)
    select graph_id, metadata_id, editing_account(), now(), editing_revision() from after
    on conflict (graph_id, metadata_id, account_id) do update
    set edited_at = excluded.edited_at, edited_revision = excluded.edited_revision;
  else
    insert into node_edits (graph_id, metadata_id, account_id, edited_at, edited_revision)
    select graph_id, metadata_id, editing_account(), now(), editing_revision() from before
    -- A workflow that is deleted takes its nodes with it.
    where exists (select from graphs where graphs.id = before.graph_id)
    on conflict (graph_id, metadata_id, account_id) do update
    set edited_at = excluded.edited_at, edited_revision = excluded.edited_revision;
  end if;
  return null;
end
$$;

create trigger nodes_inserted after insert on nodes referencing new table as after
  for each statement execute function note_node_edits();
create trigger nodes_updated after update on nodes referencing old table as before new table as after
  for each statement execute function note_node_edits();
create trigger nodes_deleted after delete on nodes referencing old table as before
  for each statement execute function note_node_edits();

-- An edge is an edit of the node that it ends at.
create function note_edge_edits() returns trigger language plpgsql as $$
begin
  if editing_account() is null then
    return null;
  end if;
  insert into node_edits (graph_id, metadata_id, account_id, edited_at, edited_revision)
  select distinct graph_id, target_id, editing_account(), now(), editing_revision() from changed
  where exists (select from graphs where graphs.id = changed.graph_id)
  on conflict (graph_id, metadata_id, account_id) do update
    set edited_at = excluded.edited_at, edited_revision = excluded.edited_revision;
  return null;
end
$$;

create trigger edges_inserted after insert on edges referencing new table as changed
  for each statement execute function note_edge_edits();
create trigger edges_deleted after delete on edges referencing old table as changed
  for each statement execute function note_edge_edits();
