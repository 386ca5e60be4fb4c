-- Variables are shown in the order in which the code made them. jsonb would sort them.
alter table jobs alter column paused type json using paused::json;
alter table run_exceptions
  alter column frames drop default,
  alter column frames type json using frames::json,
  alter column frames set default '[]';
