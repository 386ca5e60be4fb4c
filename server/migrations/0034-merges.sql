-- What a clone and its origin had in common before each merge. Restoring an older version of the workflow that changes
-- were brought into undoes the merge, so the two have the older base again.
create table earlier_bases (
  id uuid primary key,
  graph_id uuid not null references graph_origins on delete cascade,
  -- The workflow that was changed: the clone or its origin.
  into_id uuid not null,
  base_parts bytea[] not null,
  based_at timestamptz not null,
  replaced_at timestamptz not null default now()
);
create index earlier_bases_graph on earlier_bases (graph_id, replaced_at);
create index earlier_bases_into on earlier_bases (into_id, replaced_at);
create index earlier_bases_parts on earlier_bases using gin (base_parts);

create function note_loose_bases() returns trigger language plpgsql as $$
begin
  -- In one order: two transactions that note the same parts must not wait for each other.
  insert into loose_parts (hash) select distinct unnest(base_parts) as hash from before order by hash
  on conflict (hash) do update set since = now();
  return null;
end
$$;
create trigger earlier_bases_deleted after delete on earlier_bases referencing old table as before
  for each statement execute function note_loose_bases();
