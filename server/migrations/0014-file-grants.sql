-- Which graphs and templates have a file. To name it by its hash is not enough to read it there: somebody uploaded it to the
-- graph, or brought it from where they could read it.
create table graph_files (
  graph_id uuid not null references graphs on delete cascade,
  hash text not null references node_files on delete cascade,
  primary key (graph_id, hash)
);
create index graph_files_hash on graph_files (hash);

create table template_files (
  template_id uuid not null references templates on delete cascade,
  hash text not null references node_files on delete cascade,
  primary key (template_id, hash)
);
create index template_files_hash on template_files (hash);

insert into graph_files
select distinct graph_id, hash from (
  select graph_id, jsonb_path_query(field_values, '$.*.file') #>> '{}' as hash from nodes
  union all
  select graph_id, jsonb_path_query(node, '$.field_values.*.file') #>> '{}' from deleted_nodes
) as named join node_files using (hash);

insert into template_files
select distinct id, hash from (
  select id, jsonb_path_query(content, '$.nodes[*].field_values.*.file') #>> '{}' as hash from templates
) as named join node_files using (hash);
