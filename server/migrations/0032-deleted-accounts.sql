-- A deleted account keeps its row, without a name: commits, edges and the ledger still refer to it.
alter table accounts add column deleted_at timestamptz;
create index accounts_admins on accounts (id) where is_admin;

-- A project without an owner is deleted. Nobody sees it, and the server removes its content in small batches.
alter table projects alter column owner_id drop not null;
create index projects_deleted on projects (id) where owner_id is null;

-- Deleted accounts that still have something to remove. Models name their authors by username, as text.
create table deleting_accounts (
  account_id uuid primary key references accounts on delete cascade,
  username text not null,
  deleted_at timestamptz not null default now()
);
create index models_authors on models using gin (authors);
