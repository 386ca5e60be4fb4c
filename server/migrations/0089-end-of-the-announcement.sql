-- The last day that the announcement is shown, in UTC. Empty: until somebody removes it.
alter table installation_settings add column announcement_until text not null default ''
  check (announcement_until ~ '^(\d{4}-\d\d-\d\d)?$');
