-- The first run that node code starts by MLflow's client is the workflow's own run; later ones are runs below it.
alter table tracked_runs add column is_taken boolean not null default false;
