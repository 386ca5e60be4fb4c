-- What went over a processor's network, where its engine counts it: in all, and since the sample before.
alter table jobs
  add column net_rx_gb double precision not null default 0,
  add column net_tx_gb double precision not null default 0,
  add column current_net_rx_gb double precision not null default 0,
  add column current_net_tx_gb double precision not null default 0;
