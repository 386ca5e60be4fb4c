-- An account has an execution token from the start. This one has no secret: nobody can send it, using a signed-in
-- browser keeps it alive, and it can be revoked like every other.
alter table access_tokens add column automatic boolean not null default false;
create unique index access_tokens_automatic on access_tokens (account_id) where automatic;
-- Whether an account that holds no token had its last one revoked. Otherwise it was idle.
alter table accounts add column token_revoked boolean not null default false;

insert into access_tokens (id, account_id, name, hint, token_hash, automatic)
select gen_random_uuid(), id, 'Signed-in browsers', '', sha256(convert_to(gen_random_uuid()::text, 'UTF8')), true
from accounts;

-- Everybody who has changed a node's code since it was last committed: a run commits what is its runner's alone.
alter table node_drafts add column authors uuid[] not null default '{}';
update node_drafts set authors = array[updated_by] where unsaved and updated_by is not null;
