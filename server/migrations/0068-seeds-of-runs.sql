-- What the random numbers of a node began with in this run. Null: something else in every run.
alter table run_nodes add column seed bigint;
