-- The sample workflows of an account. Until it is opened, a sample is offered on the home screen.
create table samples (
  account_id uuid not null references accounts on delete cascade,
  sample text not null,
  -- Null: it was deleted. It is made again only when its owner asks for it.
  graph_id uuid references graphs on delete set null,
  created_at timestamptz not null default now(),
  opened_at timestamptz,
  primary key (account_id, sample)
);
create index samples_graph on samples (graph_id) where graph_id is not null;
