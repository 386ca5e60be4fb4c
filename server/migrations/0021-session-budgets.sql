-- How much a session has shown, and which of its limits its log has named already.
alter table jobs
  add column output_bytes bigint not null default 0,
  add column told_limits text[] not null default '{}';
