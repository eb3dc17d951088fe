-- Whole days of an account's hours, so that a statistic over a long history reads few rows. Upkeep closes a day
-- some time after its end; hours stay, and serve wherever no day stands.
create table usage_daily (
  account_id bigint not null,
  -- A day of the time zone that was configured when it was closed, as far as it consists of whole hours of UTC.
  -- The days of an account never overlap. From where to where stands in every row, so that a change of the time
  -- zone leaves what is closed right.
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  -- The rest is as in usage_hourly.
  model_id text not null,
  key_id bigint not null,
  protocol text not null,
  status int not null,
  payer text not null,
  credential text not null,
  calls bigint not null check (calls > 0),
  failed bigint not null check (failed >= 0),
  consumed bigint not null check (consumed >= 0),
  input_fresh bigint not null check (input_fresh >= 0),
  cache_read bigint not null check (cache_read >= 0),
  cache_write bigint not null check (cache_write >= 0),
  output_text bigint not null check (output_text >= 0),
  output_reasoning bigint not null check (output_reasoning >= 0),
  images bigint not null check (images >= 0),
  videos bigint not null check (videos >= 0),
  amount_micro bigint not null check (amount_micro >= 0),
  credits_micro bigint not null check (credits_micro >= 0),
  primary key (account_id, starts_at, model_id, key_id, protocol, status, payer, credential)
);

-- No day of the account ends later. Whoever settles has the account's row locked and reads it there, so that a
-- call of a closed day is noticed for nothing.
alter table accounts add column days_closed_to timestamptz not null default '1970-01-01 00:00:00+00';
