-- As json, not jsonb: jsonb sorts the keys of what a node showed, and its tables would lose the order of their columns.
alter table job_outputs
  alter column metadata drop default,
  alter column data type json using data::json,
  alter column metadata type json using metadata::json,
  alter column metadata set default '{}'::json,
  -- What node code calls an output that it shows again and again.
  add column show_id text,
  add column bytes integer not null default 0;

update job_outputs set bytes = octet_length(data::text) + octet_length(metadata::text);
