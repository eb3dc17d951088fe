-- When a model entered the catalogue. It is not known of the models that are there before.
alter table models add column created_at timestamptz;
alter table models alter column created_at set default now();
