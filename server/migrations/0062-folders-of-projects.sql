-- What projects keep on the machines: files of volumes and workflows, and installed packages. It is measured now and then.
create table project_folders (
  project_id uuid primary key references projects on delete cascade,
  volumes bigint not null,
  packages bigint not null,
  measured_at timestamptz not null default now()
);

-- Deleted projects and workflows whose folders are still there.
create table folders_to_remove (
  id uuid primary key,
  deleted_at timestamptz not null default now()
);

create function remember_folders() returns trigger language plpgsql as $$
begin
  insert into folders_to_remove (id) values (old.id) on conflict do nothing;
  return null;
end $$;

create trigger remember_folders after delete on projects for each row execute function remember_folders();
create trigger remember_folders after delete on graphs for each row execute function remember_folders();
