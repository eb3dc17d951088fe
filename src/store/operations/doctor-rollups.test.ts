import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { silentLogger } from '../../kernel/log.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { openDatabase } from '../database.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { dropPartitionsBefore } from '../logs/partitions.ts';
import { examine } from './doctor.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.drop());

test.each(['Asia/Shanghai', 'America/Los_Angeles'])('books are healthy in %s too', async (zone) => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  // On both sides of the midnight that the logs are kept from.
  const hours = Array.from({ length: 48 }, (_, at) => Date.UTC(2026, 9, 31, at));
  await ledger.settle(hours.map((createdAtMs) => callOf({ accountId, createdAtMs })));
  await dropPartitionsBefore(fresh.database, '2026-11');
  const connection = new URL(fresh.connection);
  connection.searchParams.set('options', `-c timezone=${zone}`);
  const elsewhere = await openDatabase({ connection: connection.href, log: silentLogger });
  try {
    expect(await elsewhere.query('show timezone')).toEqual([{ TimeZone: zone }]);
    expect(await examine(elsewhere)).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});
