-- The variables and files that a run read for a result: it is used as long as they are the same. Null: none.
alter table results add column reads jsonb;
