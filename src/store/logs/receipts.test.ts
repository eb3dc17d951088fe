import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { newCallId } from '../../kernel/id.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { LedgerStore } from '../../ledger/contract.ts';
import type { ConsumptionItem } from '../../ledger/log.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findReceipt, listConsumptions } from './receipts.ts';

let fresh: FreshDatabase;
let ledger: LedgerStore;

beforeAll(async () => {
  fresh = await freshDatabase();
  ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
});

afterAll(() => fresh.drop());

describe('the receipt of a call', () => {
  test('has the charge, its exchange and the ledger entries of both', async () => {
    const options = { creditsMicro: 5_000_000n, balanceMicro: 10_000n, autoExchange: true };
    const accountId = await accountWith(fresh.database, options);
    const call = callOf({ accountId });
    await ledger.settle([call]);
    const entries = await fresh.database.query<{ id: bigint }>(
      'select id from ledger_entries where account_id = $1 and ref = $2 order by seq',
      [accountId, call.callId],
    );
    expect(await findReceipt(fresh.database, accountId, call.callId)).toMatchObject({
      call_id: call.callId,
      lines: [
        { item: 'input_tokens', quantity: 1_000, price: '10' },
        { item: 'output_tokens', quantity: 500, price: '30' },
      ],
      amount: '0.025',
      charge: '25',
      held: '25',
      exchanged: '0.01',
      credits: '15',
      shortfall: '10',
      payer: 'credits',
      attempts: [{ credential: 'openai-main', outcome: 'ok' }],
      entries: [
        { id: String(entries[0]?.id), kind: 'exchange', pool: 'balance', change: '-0.01', after: '0' },
        { id: String(entries[1]?.id), kind: 'exchange', pool: 'credits', change: '10', after: '15' },
        { id: String(entries[2]?.id), kind: 'consumption', pool: 'credits', change: '-15', after: '0' },
      ],
    });
  });

  test('of a free call has the reason, and no entries', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 5_000_000n });
    const below = callOf({
      accountId,
      usage: { ...NO_USAGE, inputFresh: 99 },
      freeReason: 'below-one-credit',
    });
    expect(below.chargeMicro).toBe(0n);
    await ledger.settle([below]);
    expect(await findReceipt(fresh.database, accountId, below.callId)).toMatchObject({
      amount: '0.00099',
      amount_credits: '0.99',
      charge: '0',
      free_reason: 'below-one-credit',
      entries: [],
    });
  });

  test('does not exist for another account, an unknown call, or one that never reached a vendor', async () => {
    const accountId = await accountWith(fresh.database, { creditsMicro: 50_000_000n });
    const call = callOf({ accountId });
    const refused = callOf({ accountId, usage: NO_USAGE, price: null, payer: 'none', verdict: 'refused' });
    await ledger.settle([call, refused]);
    const { database } = fresh;
    expect(await findReceipt(database, accountId, call.callId)).toBeDefined();
    for (const [account, callId] of [
      [accountId + 1, call.callId],
      [accountId, newCallId(NOVEMBER)],
      [accountId, refused.callId],
      [accountId, "' or 1 = 1 --"],
    ] as const) {
      expect(await findReceipt(database, account, callId)).toBeUndefined();
    }
  });
});

test('the consumption log comes newest first, page by page, each row once, with its receipt', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const stranger = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const times = [0, 0, 0, 5, 5, 9, 60_000, -86_400_000 * 20];
  await ledger.settle([
    ...times.map((offset) => callOf({ accountId, createdAtMs: NOVEMBER + offset })),
    callOf({ accountId: stranger }),
  ]);
  const whole = await listConsumptions(fresh.database, accountId, { limit: 100 });
  expect(whole.map((item) => item.createdAtMs - NOVEMBER)).toEqual(
    times.toSorted((one, other) => other - one),
  );
  expect(new Set(whole.map((item) => item.receipt.charge))).toEqual(new Set(['25']));
  const paged: ConsumptionItem[] = [];
  for (let page = 0; page < 4; page++) {
    const after = paged.at(-1);
    paged.push(...(await listConsumptions(fresh.database, accountId, { limit: 3, ...(after && { after }) })));
  }
  expect(paged).toEqual(whole);
});
