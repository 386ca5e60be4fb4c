-- A note is a node that holds text for people. It never runs.
alter table nodes drop constraint nodes_class_check;
alter table nodes add constraint nodes_class_check
  check (class in ('Code_block', 'compute_policy', 'storage_policy', 'note')) not valid;
alter table nodes validate constraint nodes_class_check;
