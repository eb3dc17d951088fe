-- Why a call was not paid in full: what the funds lacked, the figures that show it, and what the call was
-- expected to use at most. Nothing for a call that was.
alter table consumptions add column short jsonb;

-- The highest monthly cap that a call of `month` was settled under, in micro-yuan; the largest bigint when
-- one had none. Whoever lowers his cap while calls run still pays for them.
alter table accounts add column month_cap_micro bigint not null default 0 check (month_cap_micro >= 0);

-- When auto-exchange was last switched off. A call that ran before that may be paid from the balance: calls
-- beside it were, and took the Credits that were held for it.
alter table accounts add column auto_exchange_off_at timestamptz;
create function note_auto_exchange_off() returns trigger language plpgsql as $$
begin
  if old.auto_exchange and not new.auto_exchange then new.auto_exchange_off_at := now(); end if;
  return new;
end $$;
create trigger accounts_auto_exchange_off before update of auto_exchange on accounts
  for each row execute function note_auto_exchange_off();
