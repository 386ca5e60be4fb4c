-- What was published while a template was private stays its owner's when the template becomes public.
alter table template_versions add column is_public boolean not null default false;
update template_versions set is_public = templates.public from templates where templates.id = template_versions.template_id;
