-- The graph's revision whose code the draft's text last followed: of several servers that have it open, one follows.
alter table node_drafts add column followed bigint not null default 0;
