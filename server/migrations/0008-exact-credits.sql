-- As exact as what is charged: rounded to less, credits and ledger would drift apart by a little with every sample.
alter table accounts alter column credits type numeric(18, 9);
