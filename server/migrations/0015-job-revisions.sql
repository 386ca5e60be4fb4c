-- Sessions are told of by several hands at once, and read in between: whoever hears two words knows which is the newer.
alter table jobs add column revision bigint not null default 0;

create function count_job_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end
$$;

create trigger jobs_revision before update on jobs for each row execute function count_job_revision();
