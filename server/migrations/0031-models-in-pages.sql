-- Lists of models are sorted by these. The metrics themselves may be long, so a list does not read them.
alter table models
  add column loss float8 generated always as
    (case when jsonb_typeof(metrics -> 'loss') = 'number' then (metrics ->> 'loss')::float8 end) stored,
  add column accuracy float8 generated always as
    (case when jsonb_typeof(metrics -> 'accuracy') = 'number' then (metrics ->> 'accuracy')::float8 end) stored,
  add column precision float8 generated always as
    (case when jsonb_typeof(metrics -> 'precision') = 'number' then (metrics ->> 'precision')::float8 end) stored,
  add column recall float8 generated always as
    (case when jsonb_typeof(metrics -> 'recall') = 'number' then (metrics ->> 'recall')::float8 end) stored;

-- A page starts after a value and an id, in either direction.
drop index models_updated;
create index models_updated on models (updated_at, id);
create index models_created on models (created_at, id);
create index models_loss on models (loss, id);
create index models_accuracy on models (accuracy, id);
create index models_precision on models (precision, id);
create index models_recall on models (recall, id);
create index graphs_in_order_of_name on graphs ((lower(name) collate "C"), id);
