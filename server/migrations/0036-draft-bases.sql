-- The node's code that unsaved code started from. When it is no longer the node's code, somebody changed the code below
-- the draft, and committing the draft would undo that. Null for code that is saved.
alter table node_drafts add column base text;
