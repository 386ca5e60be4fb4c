-- The projects that somebody is a member of, newest first.
create index project_members_of on project_members (account_id, project_id);
drop index project_members_account;

-- Searches of people who are not administrators. Among all names, those of private projects would be in the way.
create index projects_public_name_parts on projects using gin (lower(name) gin_trgm_ops) where visibility = 'public';

-- Templates are listed by name and searched by their name, description and tags.
create index templates_by_name on templates (kind, lower(name), id);
drop index templates_kind;
create function template_words(name text, description text, tags text[]) returns text
  language sql immutable parallel safe
  return lower(name || ' ' || description || ' ' || array_to_string(tags, ' '));
alter table templates add column words text not null generated always as (template_words(name, description, tags)) stored;
create index templates_word_parts on templates using gin (words gin_trgm_ops);
