-- S3 buckets that projects store their artefacts in.

create table artifact_buckets (
  id uuid primary key,
  -- Null: the project was deleted, and what it stored there is still to be removed.
  project_id uuid references projects on delete set null,
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  access_key text not null,
  -- Encrypted.
  secret_key bytea not null,
  -- Whether new files of the project go there. Files stay in the bucket that they were stored in.
  is_current boolean not null,
  created_at timestamptz not null default now()
);
create index artifact_buckets_project on artifact_buckets (project_id);
create unique index artifact_buckets_current on artifact_buckets (project_id) where is_current;

-- Where the content is. Null: on the server's disk.
alter table artifact_contents add column bucket_id uuid references artifact_buckets;
alter table artifact_contents add column object text;
create index artifact_contents_bucket on artifact_contents (bucket_id) where bucket_id is not null;

-- Objects that no content names: uploads that have not ended, and what was removed. They are removed from the bucket when due.
create table artifact_removals (
  bucket_id uuid not null references artifact_buckets,
  object text not null,
  -- Of the parts of an upload that has not ended.
  upload_id text,
  due_at timestamptz not null,
  primary key (bucket_id, object)
);
create index artifact_removals_due on artifact_removals (due_at);

create function note_left_object() returns trigger language plpgsql as $$
begin
  -- An hour later, so that downloads which began before can end.
  insert into artifact_removals (bucket_id, object, due_at) values (old.bucket_id, old.object, now() + interval '1 hour')
  on conflict do nothing;
  return null;
end $$;
create trigger note_removed_object after delete on artifact_contents
  for each row when (old.object is not null) execute function note_left_object();
create trigger note_replaced_object after update of object on artifact_contents
  for each row when (old.object is not null and old.object is distinct from new.object) execute function note_left_object();
