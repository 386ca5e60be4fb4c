-- Housekeeping removes old rows in small batches. Each batch must find its rows by an index.

-- A BRIN index keeps the time of the oldest row that a block ever held, so once space is reused it finds every block.
drop index usage_samples_time;
create index usage_samples_time on usage_samples (created_at);
create index node_drafts_saved on node_drafts (updated_at) where not unsaved;
create index node_files_unused on node_files (unused_since) where unused_since is not null;

-- From now on a node's history goes together with the deleted node. What was left over goes here.
delete from node_commits as kept where not exists (select 1 from nodes where nodes.metadata_id = kept.metadata_id)
  and not exists (select 1 from deleted_nodes where deleted_nodes.metadata_id = kept.metadata_id);
delete from node_git as kept where not exists (select 1 from nodes where nodes.metadata_id = kept.metadata_id)
  and not exists (select 1 from deleted_nodes where deleted_nodes.metadata_id = kept.metadata_id);
