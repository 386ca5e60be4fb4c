-- Signatures of webhooks that were taken, as long as their time would still be accepted. Whoever copied one cannot send it again.
create table hook_signatures (
  deployment_id uuid not null references deployments on delete cascade,
  signature bytea not null,
  taken_at timestamptz not null default now(),
  primary key (deployment_id, signature)
);
create index hook_signatures_taken on hook_signatures (taken_at);
