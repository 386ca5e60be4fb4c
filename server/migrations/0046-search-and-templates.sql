-- The search over everything finds nodes and people by parts of their names.
create index nodes_name_parts on nodes using gin (lower(name) gin_trgm_ops);
create function person_words(username text, first_name text, last_name text) returns text
  language sql immutable parallel safe
  return lower(username || ' ' || first_name || ' ' || last_name);
create index accounts_name_parts on accounts using gin (person_words(username, first_name, last_name) gin_trgm_ops)
  where deleted_at is null;

-- A withdrawn template is offered to nobody but its owner. Nodes made from it stay linked.
alter table templates add column withdrawn boolean not null default false;

-- A run that tries newer code of a template in one node: {node, version, source_code}. The workflow keeps its code.
alter table runs add column trial jsonb;

-- What was published as a version of a template, and what its owner said about it.
create table template_versions (
  template_id uuid not null references templates on delete cascade,
  version integer not null,
  changes text not null default '',
  -- [{ref, name, source_code}, …]: what is compared, and no more.
  code jsonb not null,
  -- Who published it. Null once the account is deleted.
  account_id uuid references accounts on delete set null,
  published_at timestamptz not null default now(),
  primary key (template_id, version)
);
create index template_versions_account on template_versions (account_id) where account_id is not null;
create function template_code(content jsonb) returns jsonb
  language sql immutable parallel safe
  return (select coalesce(jsonb_agg(jsonb_build_object(
    'ref', node->'ref', 'name', node->'name', 'source_code', node->'source_code') order by at), '[]')
    from jsonb_array_elements(content->'nodes') with ordinality as part(node, at));
insert into template_versions (template_id, version, code, account_id, published_at)
  select id, version, template_code(content), owner_id, updated_at from templates where library_key is null;
