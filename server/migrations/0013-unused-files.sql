-- Since when nothing has named a file. What is undone within a day finds its file again.
alter table node_files add column unused_since timestamptz;
