-- Files of runs and logged models: whose a path is, and which content no path names any more.

alter table artifacts add column run_id uuid references tracked_runs on delete cascade;
alter table artifacts add column logged_model_id text references logged_models on delete cascade;
create index artifacts_run on artifacts (run_id) where run_id is not null;
create index artifacts_logged_model on artifacts (logged_model_id) where logged_model_id is not null;
-- In the order of bytes, so that the files of a folder are beside each other.
alter table artifacts alter column path type text collate "C";

-- A logged model goes with its run. A run with versions of models is not removed.
alter table logged_models drop constraint logged_models_run_id_fkey;
alter table logged_models add constraint logged_models_run_id_fkey foreign key (run_id) references tracked_runs on delete cascade;

create table artifact_contents (
  project_id uuid not null references projects on delete cascade,
  sha256 bytea not null,
  bytes bigint not null,
  -- Since when no path names it. Null: a path does.
  unused_at timestamptz,
  primary key (project_id, sha256)
);
create index artifact_contents_unused on artifact_contents (unused_at) where unused_at is not null;

-- What a project stores, so that no upload adds up all rows.
create table artifact_totals (
  project_id uuid primary key references projects on delete cascade,
  bytes bigint not null,
  files integer not null,
  paths integer not null default 0
);

create function note_unused_content() returns trigger language plpgsql as $$
begin
  -- One at a time: two transactions that remove the last two paths would each see the other's.
  perform 1 from artifact_contents where project_id = old.project_id and sha256 = old.sha256 for update;
  update artifact_contents set unused_at = now()
  where project_id = old.project_id and sha256 = old.sha256 and unused_at is null
    and not exists (select from artifacts where project_id = old.project_id and sha256 = old.sha256);
  return null;
end $$;
create trigger note_unused_content after delete or update of sha256 on artifacts
  for each row execute function note_unused_content();

create function count_artifact_content() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into artifact_totals (project_id, bytes, files) values (new.project_id, new.bytes, 1)
    on conflict (project_id) do update set bytes = artifact_totals.bytes + excluded.bytes, files = artifact_totals.files + 1;
  else
    update artifact_totals set bytes = bytes - old.bytes, files = files - 1 where project_id = old.project_id;
  end if;
  return null;
end $$;
create trigger count_artifact_content after insert or delete on artifact_contents
  for each row execute function count_artifact_content();

-- Once for each statement, and after the contents: a statement that removes many paths must not hold this row meanwhile.
create function count_artifact_paths() returns trigger language plpgsql as $$
begin
  update artifact_totals set paths = paths + case tg_op when 'INSERT' then counted.many else -counted.many end
  from (select project_id, count(*)::integer as many from changed group by project_id) as counted
  where artifact_totals.project_id = counted.project_id;
  return null;
end $$;
create trigger count_added_paths after insert on artifacts referencing new table as changed
  for each statement execute function count_artifact_paths();
create trigger count_removed_paths after delete on artifacts referencing old table as changed
  for each statement execute function count_artifact_paths();

-- Training code often logs metrics after it registered the model. When its run ends, the versions get them.
create function copy_metrics_to_versions() returns trigger language plpgsql as $$
begin
  -- Models before versions, as everywhere.
  perform 1 from models where id in (select model_id from model_versions where tracked_run_id = new.id and source <> '')
    order by id for update;
  update model_versions set
    metrics = metrics || coalesce((
      select jsonb_object_agg(name, case when last_value in ('NaN', 'Infinity', '-Infinity') then null else last_value end)
      from (select name, last_value from metric_summaries where run_id = new.id order by position limit 300) as shown
    ), '{}'),
    params = params || coalesce((
      select jsonb_object_agg(key, value) from (select key, value from tracked_params where run_id = new.id order by key limit 300) as shown
    ), '{}')
  where tracked_run_id = new.id and source <> '';
  update models set metrics = v.metrics from model_versions as v
  where v.tracked_run_id = new.id and v.source <> '' and models.id = v.model_id and models.latest_version = v.number;
  return null;
end $$;
create trigger copy_metrics_to_versions after update of ended_at on tracked_runs
  for each row when (new.ended_at is not null) execute function copy_metrics_to_versions();
