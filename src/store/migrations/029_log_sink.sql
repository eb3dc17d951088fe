-- Sending the call log to ClickHouse: how far it is, for all nodes. The row is there once a server with a
-- ClickHouse has started; until the row is deleted, months with calls that were not sent are not dropped.
create table log_sink (
  id boolean primary key default true check (id),
  -- Every call with a number up to this one was sent.
  sent_to bigint not null default 0 check (sent_to >= 0),
  -- The last number of the batch that is being sent, written before it is sent: whoever repeats it repeats
  -- exactly these calls.
  sending_to bigint check (sending_to > sent_to),
  -- All that was settled at this time was sent.
  caught_up_at timestamptz not null default now(),
  -- Who sends, and until when nobody else begins to.
  holder text,
  held_until timestamptz not null default '-infinity',
  -- Why the last attempt failed; nothing after a success.
  failure text,
  failed_at timestamptz,
  sent_calls bigint not null default 0 check (sent_calls >= 0)
) with (fillfactor = 50);

-- Finds the calls of a range of numbers. They are written in about the order of their numbers, so a summary
-- of each megabyte is enough; it costs a settlement nothing that can be measured.
create index calls_number on calls using brin (id) with (autosummarize = on);
