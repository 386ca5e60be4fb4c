-- Which parts the versions of a workflow use, and how large each is. A quota limits what the versions of a project take.
create table graph_parts (
  graph_id uuid not null references graphs on delete cascade,
  hash bytea not null,
  bytes integer not null,
  -- How many versions of the workflow use it, and how many of those have a number.
  versions integer not null,
  named integer not null,
  primary key (graph_id, hash)
);

insert into graph_parts (graph_id, hash, bytes, versions, named)
select used.graph_id, used.hash, octet_length(version_parts.content), used.versions, used.named
from (
  select graph_id, hash, count(distinct id) as versions, count(distinct id) filter (where number is not null) as named
  from graph_versions cross join unnest(parts) as hash group by graph_id, hash
) as used
join version_parts using (hash);

-- In one order: two transactions that count the same parts must not wait for each other.
create function count_graph_parts() returns trigger language plpgsql as $$
begin
  insert into graph_parts (graph_id, hash, bytes, versions, named)
  select used.graph_id, used.hash, octet_length(version_parts.content), used.versions, used.named
  from (
    select graph_id, hash, count(distinct id) as versions, count(distinct id) filter (where number is not null) as named
    from after cross join unnest(parts) as hash group by graph_id, hash
  ) as used
  join version_parts using (hash)
  order by used.graph_id, used.hash
  on conflict (graph_id, hash) do update
  set versions = graph_parts.versions + excluded.versions, named = graph_parts.named + excluded.named;
  return null;
end
$$;
create trigger graph_versions_counted after insert on graph_versions referencing new table as after
  for each statement execute function count_graph_parts();

create function uncount_graph_parts() returns trigger language plpgsql as $$
begin
  perform from graph_parts
  where (graph_id, hash) in (select graph_id, hash from before cross join unnest(parts) as hash)
  order by graph_id, hash for update;
  update graph_parts
  set versions = graph_parts.versions - used.versions, named = graph_parts.named - used.named
  from (
    select graph_id, hash, count(distinct id) as versions, count(distinct id) filter (where number is not null) as named
    from before cross join unnest(parts) as hash group by graph_id, hash
  ) as used
  where graph_parts.graph_id = used.graph_id and graph_parts.hash = used.hash;
  delete from graph_parts
  where versions <= 0 and (graph_id, hash) in (select graph_id, hash from before cross join unnest(parts) as hash);
  return null;
end
$$;
create trigger graph_versions_uncounted after delete on graph_versions referencing old table as before
  for each statement execute function uncount_graph_parts();
