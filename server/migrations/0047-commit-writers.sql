-- Everybody who typed in the code of a commit, besides the person who committed it.
alter table node_commits add column written_by uuid[] not null default '{}';
