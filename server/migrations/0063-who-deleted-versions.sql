-- Who deleted a version, as for models. Unknown for those that are in the trash already.
alter table model_versions add column deleted_by uuid references accounts on delete set null;
create index model_versions_deleted_by on model_versions (deleted_by) where deleted_by is not null;
