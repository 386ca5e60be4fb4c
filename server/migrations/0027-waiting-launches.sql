-- Why a launch waits, and since when its engine does not answer. Both were hidden in what the engine keeps about it.
alter table jobs add column waiting_reason text;
alter table jobs add column engine_away_since timestamptz;
update jobs
set waiting_reason = engine_ref ->> 'waiting',
  engine_away_since = to_timestamp((engine_ref ->> 'away')::float8),
  engine_ref = nullif(engine_ref - 'waiting' - 'away', '{}'::jsonb)
where engine_ref ?| array['waiting', 'away'];
