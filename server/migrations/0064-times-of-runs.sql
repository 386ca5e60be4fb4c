-- How long a run waited before it began, and for how much of its time packages were installed.
alter table runs add column waited_seconds double precision not null default 0;
alter table runs add column installing_seconds double precision not null default 0;
-- Since when packages are being installed. Null: they are not.
alter table runs add column installing_since timestamptz;
-- Whether a session was started to run something at once: its first run has waited for it.
alter table jobs add column for_run boolean not null default false;
