-- What a project has to spend. Its balance is the sum of its entries in the ledger.
create table purses (
  project_id uuid primary key references projects on delete cascade,
  balance numeric(18, 9) not null default 0,
  -- Whether it pays for new sessions. Otherwise whoever starts them pays.
  in_use boolean not null default false,
  updated_at timestamptz not null default now()
);
create index ledger_purse on ledger (purse_id, at) where purse_id is not null;

-- The project whose purse pays for the session. Decided when it starts, so nobody else pays for it halfway.
alter table jobs add column purse_id uuid;
create index jobs_purse on jobs (purse_id) where purse_id is not null and ended_at is null;
