-- Deleting a session or a project looks for the rows that name it. Without these indexes it reads the whole table.
create index ledger_job on ledger (job_id) where job_id is not null;
create index ledger_project on ledger (project_id) where project_id is not null;
create index models_job on models (job_id) where job_id is not null;

-- Finds ended sessions by their age.
create index jobs_ended on jobs (ended_at) where state in ('ERROR', 'EXITED');

-- A graph is read in parts, ordered by the nodes' numbers.
create index nodes_in_graph on nodes (graph_id, metadata_id);
drop index nodes_graph;

-- The project of a session's workflow, so that the sessions of a project are found without its workflows.
alter table jobs add column project_id uuid references projects on delete set null;
update jobs set project_id = graphs.project_id from graphs where graphs.id = jobs.graph_id;
create index jobs_project on jobs (project_id, id);

-- Searches for a part of a name.
create extension if not exists pg_trgm;
create index projects_name_parts on projects using gin (lower(name) gin_trgm_ops);
create index graphs_name_parts on graphs using gin (lower(name) gin_trgm_ops);
create index models_name_parts on models using gin (lower(name) gin_trgm_ops);
