-- An operator may give an account a limit policy of its own; without one the default of the catalogue holds.
alter table accounts add column policy_id int references policies (id);
