-- What each node did in the last run of a session that it was part of.
create table job_nodes (
  job_id uuid not null references jobs on delete cascade,
  node_id bigint not null,
  run integer not null,
  status text not null,
  seconds double precision not null,
  fires integer not null,
  primary key (job_id, node_id)
);
