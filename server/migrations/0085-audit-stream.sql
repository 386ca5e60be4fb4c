-- Records of the audit log that a file or a syslog has not taken yet. Only while a stream is set up.
create table audit_stream (
  -- There is one for all servers.
  is_one boolean primary key default true check (is_one),
  target text not null,
  -- The server that writes, and how long it may take before another one does.
  holder uuid,
  held_until timestamptz not null default now()
);
create table audit_unsent (id bigint primary key);

-- By the database, so that a record waits for the stream exactly when it is committed, whoever wrote it.
create function queue_audit_record() returns trigger language plpgsql as $$
begin
  if exists (select from audit_stream) then
    insert into audit_unsent (id) values (new.id);
  end if;
  return null;
end $$;
create trigger audit_log_stream after insert on audit_log for each row execute function queue_audit_record();
