-- An account has an execution token from the start. This one has no secret: nobody can send it, using a signed-in
-- browser keeps it alive, and it can be revoked like every other.
alter table access_tokens add column automatic boolean not null default false;
create unique index access_tokens_automatic on access_tokens (account_id) where automatic;
-- Whether an account that holds no token had its last one revoked. Otherwise it was idle.
alter table accounts add column token_revoked boolean not null default false;

insert into access_tokens (id, account_id, name, hint, token_hash, automatic)
select gen_random_uuid(), id, 'Signed-in browsers', '', sha256(convert_to(gen_random_uuid()::text, 'UTF8')), true
from accounts;
