-- A node that is stopped, or whose process dies, reports no time of its own. What it cost is still its cost.
alter table run_nodes add column running_since timestamptz;
