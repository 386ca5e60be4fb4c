-- A run may make several models. What was logged for one of them counts more than what its run logged last.

create function metrics_of_logged_model(id text) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(name,
    case when value in ('NaN', 'Infinity', '-Infinity') then null else value end order by logged_at, step), '{}')
  from (select name, value, logged_at, step from logged_model_metrics where model_id = id
    order by logged_at, step limit 300) as own
$$;

create or replace function copy_metrics_to_versions() returns trigger language plpgsql as $$
declare
  of_run jsonb;
begin
  -- Models before versions, as everywhere.
  perform 1 from models where id in (
    select model_id from model_versions where tracked_run_id = new.id and (source <> '' or logged_model_id is not null)
  ) order by id for update;
  select coalesce(jsonb_object_agg(name,
    case when last_value in ('NaN', 'Infinity', '-Infinity') then null else last_value end), '{}') into of_run
  from (select name, last_value from metric_summaries where run_id = new.id order by position limit 300) as shown;
  update model_versions set
    -- Without a source, miranda.log_model made it, and was told its metrics.
    metrics = case when source = '' then of_run || metrics
      else metrics || of_run || metrics_of_logged_model(logged_model_id) end,
    params = coalesce((
      select jsonb_object_agg(key, value) from (select key, value from tracked_params where run_id = new.id order by key limit 300) as shown
    ), '{}') || params
  where tracked_run_id = new.id and (source <> '' or logged_model_id is not null);
  update models set metrics = v.metrics from model_versions as v
  where v.tracked_run_id = new.id and (v.source <> '' or v.logged_model_id is not null)
    and models.id = v.model_id and models.latest_version = v.number;
  return null;
end $$;

-- Versions whose run has ended already.
update model_versions set metrics = metrics || metrics_of_logged_model(logged_model_id)
where exists (select from logged_model_metrics where model_id = logged_model_id);
update models set metrics = v.metrics from model_versions as v
where models.id = v.model_id and models.latest_version = v.number and models.metrics <> v.metrics
  and exists (select from logged_model_metrics where model_id = v.logged_model_id);
