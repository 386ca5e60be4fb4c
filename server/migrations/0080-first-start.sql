-- What the administrator of a new installation is asked first.
alter table installation_settings
  -- 'credits': running costs credits, which new accounts have for their trial. 'free': it costs nobody anything.
  add column payment text not null default 'credits' check (payment in ('credits', 'free')),
  add column trial_days integer not null default 14 check (trial_days between 1 and 3650),
  add column trial_credits double precision not null default 100 check (trial_credits between 0 and 1000000),
  -- The address by which people reach the server, unless PUBLIC_URL says it. Used from the next start on.
  add column public_url text,
  -- 'open': not answered yet. 'later': put off. 'done': answered, or an installation that is older than the questions.
  add column first_start text not null default 'done' check (first_start in ('open', 'later', 'done'));

-- An installation that has accounts keeps what it has.
update installation_settings set default_visibility = 'private', first_start = 'open'
  where not exists (select from accounts);
