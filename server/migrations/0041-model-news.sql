-- People and webhooks are told about new versions of models and moved aliases. Null: they were not told yet.
alter table model_versions add column told_at timestamptz;
alter table model_alias_moves add column told_at timestamptz;
update model_versions set told_at = now();
update model_alias_moves set told_at = now();
create index model_versions_untold on model_versions (created_at) where told_at is null;
create index model_alias_moves_untold on model_alias_moves (moved_at) where told_at is null;

alter table notifications add column model_id uuid references models on delete cascade;
create index notifications_model on notifications (model_id) where model_id is not null;

-- What was thrown away, by whom. The trash is listed by project.
alter table models add column deleted_by uuid references accounts on delete set null;
create index models_deleted_by on models (deleted_by) where deleted_by is not null;
create index model_versions_deleted on model_versions (deleted_at) where deleted_at is not null;
-- Models that a node made.
create index model_versions_node on model_versions (graph_id, node_id) where node_id is not null;
