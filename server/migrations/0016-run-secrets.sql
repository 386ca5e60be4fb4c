-- Whether a run was handed personal secrets of whoever started it ('lent'), or may not have them any more because somebody
-- else has evaluated code in it ('withheld').
alter table job_commands add column secrets text check (secrets in ('lent', 'withheld'));
