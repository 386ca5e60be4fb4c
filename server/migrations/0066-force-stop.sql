-- After how many seconds an interrupt of this person stops by force what does not end. 0: never.
alter table accounts add column force_stop_after int not null default 0;
