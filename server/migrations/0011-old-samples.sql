-- Samples are written in the order of their time, so a summary of each part of the table finds the old ones.
create index usage_samples_time on usage_samples using brin (created_at);
