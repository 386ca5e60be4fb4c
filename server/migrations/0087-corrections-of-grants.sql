-- A grant that was wrong is taken back by an entry of its own: the ledger only grows.
alter table ledger add column corrects bigint references ledger;
alter table ledger drop constraint ledger_kind_check;
alter table ledger add constraint ledger_kind_check
  check (kind in ('usage', 'grant', 'trial', 'opening', 'fill', 'return', 'correction'));
alter table ledger add constraint ledger_corrects check ((kind = 'correction') = (corrects is not null));
create index ledger_corrects on ledger (corrects) where corrects is not null;
