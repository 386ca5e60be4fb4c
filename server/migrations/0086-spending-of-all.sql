-- Administrators add up what everybody spent between two days.
create index ledger_usage_at on ledger (at) where kind = 'usage';
