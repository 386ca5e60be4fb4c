-- What ended sessions left on the machine on which they ran. The oldest are removed when there is too much of it.
create table session_files (
  job_id uuid primary key references jobs on delete cascade,
  host text not null,
  bytes bigint not null
);
