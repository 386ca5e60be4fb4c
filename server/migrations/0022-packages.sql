-- How far the installation of packages is, while there is one.
alter table jobs add column installing jsonb;

-- What the nodes of a run imported from: the version of each package that was installed for them.
create table job_packages (
  job_id uuid not null references jobs on delete cascade,
  run integer not null,
  packages jsonb not null,
  primary key (job_id, run)
);
