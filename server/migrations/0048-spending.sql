-- Runs and calls cost what their samples cost, to the last digit.
drop trigger runs_of_calls on runs;
alter table runs alter column cost type numeric(18, 9);
alter table calls alter column cost type numeric(18, 9);
create trigger runs_of_calls after insert or update of state, reason, cost, ended_at on runs
  for each row when (new.source <> 'person') execute function follow_run();

create function quarter_hour(moment timestamptz) returns timestamptz language sql immutable parallel safe
  return date_bin('15 minutes', moment, timestamptz '2000-01-01 00:00:00+00');

-- The ledger says who spent what on what, and when. The days of every time zone are made of quarters of an hour. It has the
-- names of that time: the books stay readable for people who left, and a later name is none of their business.
alter table ledger
  add column at timestamptz,
  add column graph_id uuid,
  -- Who ran it. Null for visitors, and for a session that waits for calls.
  add column person_id uuid,
  add column source text not null default '' check (source in ('', 'session', 'call', 'schedule')),
  add column project_name text not null default '',
  add column graph_name text not null default '',
  -- The project whose purse it is about. Null: the credits of the account.
  add column purse_id uuid,
  -- Of a grant: its key, and who granted it.
  add column grant_key text,
  add column granted_by uuid;
alter table ledger drop constraint ledger_kind_check;
alter table ledger add constraint ledger_kind_check
  check (kind in ('usage', 'grant', 'trial', 'opening', 'fill', 'return'));
-- What was paid for a project stays with the project's number when the project is deleted.
alter table ledger drop constraint ledger_project_id_fkey;

-- What was booked by the day is at noon: that is the same day in most time zones.
update ledger set at = case when (created_at at time zone 'UTC')::date = day then quarter_hour(created_at)
    else (day + time '12:00') at time zone 'UTC' end;
update ledger set source = case when ledger.deployment_id is null then 'session' else 'call' end,
    person_id = case when ledger.deployment_id is null then ledger.account_id end where kind = 'usage';
update ledger set graph_id = jobs.graph_id, graph_name = jobs.name from jobs where jobs.id = ledger.job_id;
-- Who only paid for a call of an app does not learn the name of its project, which may be private.
update ledger set project_name = projects.name from projects where projects.id = ledger.project_id
  and (projects.visibility = 'public' or projects.owner_id = ledger.account_id
    or exists (select from project_members where project_id = projects.id and account_id = ledger.account_id)
    or exists (select from jobs where jobs.id = ledger.job_id and jobs.account_id = ledger.account_id));
alter table ledger alter column at set default quarter_hour(now()), alter column at set not null;

drop index ledger_job_day;
create unique index ledger_job_quarter on ledger (job_id, account_id, day, at, source,
  coalesce(person_id, '00000000-0000-0000-0000-000000000000')) where kind = 'usage';
drop index ledger_account;
create index ledger_account on ledger (account_id, at) where purse_id is null;
create index ledger_project_at on ledger (project_id, at) where project_id is not null;
create unique index ledger_grant on ledger (grant_key) where grant_key is not null;

-- From here on, the credits of an account are the sum of its entries.
insert into ledger (account_id, kind, amount, note)
select accounts.id, 'opening', accounts.credits - coalesce(booked.amount, 0), 'Balance before the ledger was complete'
from accounts left join (select account_id, sum(amount) as amount from ledger group by account_id) as booked
  on booked.account_id = accounts.id
where accounts.credits <> coalesce(booked.amount, 0);

-- What an account or a project may spend in a month.
create table budgets (
  id uuid primary key,
  account_id uuid unique references accounts on delete cascade,
  project_id uuid unique references projects on delete cascade,
  amount numeric(18, 9) not null check (amount > 0),
  -- What happens when it is used up: only a warning, no new runs, or running sessions are stopped too.
  at_full text not null check (at_full in ('warn', 'pause', 'stop')),
  -- Whose months count.
  zone text not null,
  updated_at timestamptz not null default now(),
  check (num_nonnulls(account_id, project_id) = 1)
);

-- Which part of a budget was used up, in percent. People are told once a month of each.
create table budget_warnings (
  budget_id uuid not null references budgets on delete cascade,
  month date not null,
  level integer not null,
  spent numeric(18, 9) not null,
  told_at timestamptz,
  primary key (budget_id, month, level)
);
create index budget_warnings_untold on budget_warnings (month) where told_at is null;

-- What a budget's account or project has spent in this month. A purse is the project's, not the account's.
create function budget_spent(budget budgets) returns numeric language plpgsql stable parallel safe as $$
declare
  since timestamptz := date_trunc('month', now() at time zone budget.zone) at time zone budget.zone;
begin
  if budget.account_id is not null then
    return (select coalesce(-sum(amount), 0) from ledger
      where account_id = budget.account_id and purse_id is null and kind = 'usage' and at >= since);
  end if;
  return (select coalesce(-sum(amount), 0) from ledger
    where project_id = budget.project_id and kind = 'usage' and at >= since);
end
$$;

-- Whether a budget of the account or the project is used up and says that nothing new may start.
create function is_month_spent(payer uuid, project uuid) returns boolean language plpgsql stable parallel safe as $$
declare
  budget budgets;
begin
  for budget in select * from budgets where (account_id = payer or project_id = project) and at_full <> 'warn' loop
    if budget_spent(budget) >= budget.amount then
      return true;
    end if;
  end loop;
  return false;
end
$$;
