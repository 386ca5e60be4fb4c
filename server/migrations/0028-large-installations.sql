-- Deleting a session or a project looks for the rows that name it. Without these indexes it reads the whole table.
create index ledger_job on ledger (job_id) where job_id is not null;
create index ledger_project on ledger (project_id) where project_id is not null;
create index models_job on models (job_id) where job_id is not null;

-- Finds ended sessions by their age.
create index jobs_ended on jobs (ended_at) where state in ('ERROR', 'EXITED');

-- A graph is read in parts, ordered by the nodes' numbers.
create index nodes_in_graph on nodes (graph_id, metadata_id);
drop index nodes_graph;

-- The project of a session's workflow, so that the sessions of a project are found without its workflows. Null once the
-- workflow is deleted. The database sets it; moving a workflow changes it.
alter table jobs add column project_id uuid;
update jobs set project_id = graphs.project_id from graphs where graphs.id = jobs.graph_id;

create function set_job_project() returns trigger language plpgsql as $$
begin
  -- Locked: a workflow that is being moved would leave its new session in the old project.
  select project_id into new.project_id from graphs where id = new.graph_id for share;
  return new;
end
$$;

create trigger jobs_project before insert or update of graph_id on jobs for each row execute function set_job_project();

-- The ended sessions of a project, newest first.
create index jobs_project on jobs (project_id, id) where state in ('ERROR', 'EXITED');
-- The living sessions, newest first. Without it PostgreSQL may look for them among all ended ones.
create index jobs_alive_newest on jobs (id) where state not in ('ERROR', 'EXITED');
-- When an account last started a session.
create index jobs_started on jobs (account_id, started_at);

-- Searches for a part of a name.
create extension if not exists pg_trgm;
create index projects_name_parts on projects using gin (lower(name) gin_trgm_ops);
create index graphs_name_parts on graphs using gin (lower(name) gin_trgm_ops);
create index models_name_parts on models using gin (lower(name) gin_trgm_ops);
