import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { silentLogger } from '../../kernel/log.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { createInbox } from './inbox.ts';
import { createOperatorStats } from './operator-stats.ts';

let fresh: FreshDatabase;
const ACTOR = { accountId: undefined, address: 'test', action: 'test' };
const PAGE = { offset: 0, limit: 10 };

beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('feedback is open until an operator closes it', async () => {
  const inbox = createInbox({ database: fresh.database, log: silentLogger });
  await fresh.database.query(`insert into feedback (content) values ('one'), ('two')`);
  const open = await inbox.feedback({ status: 'open', ...PAGE });
  expect(open).toMatchObject({ total: 2, items: [{ content: 'two' }, { content: 'one' }] });
  const id = open.items[0]?.id ?? 0;
  expect(await inbox.setFeedback(id, 'done', ACTOR)).toMatchObject({ message: { status: 'done' } });
  expect((await inbox.feedback({ status: 'open', ...PAGE })).items).toMatchObject([{ content: 'one' }]);
  expect((await inbox.feedback({ status: undefined, ...PAGE })).total).toBe(2);
  expect(await inbox.setFeedback(99, 'done', ACTOR)).toEqual({ kind: 'not-found' });
});

test('the registration setting of operators wins over the configuration', async () => {
  const inbox = createInbox({ database: fresh.database, log: silentLogger });
  expect(await inbox.registration()).toBeUndefined();
  await inbox.setRegistration('closed', ACTOR);
  expect(await inbox.registration()).toBe('closed');
  await inbox.setRegistration(undefined, ACTOR);
  expect(await inbox.registration()).toBeUndefined();
  const { items } = await inbox.audit({
    ...{ actorAccountId: undefined, entity: 'registration', entityKey: undefined, action: undefined },
    ...PAGE,
  });
  expect(items.map(({ before, after }) => [before, after])).toEqual([
    [{ registration: 'closed' }, { registration: null }],
    [{ registration: null }, { registration: 'closed' }],
  ]);
});

test('the operator statistics are the sums of the hours, by vendor and by the platform’s credentials', async () => {
  const { database } = fresh;
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const accountId = await accountWith(database, { creditsMicro: 10n ** 12n });
  const attempts = [{ routeId: 1, vendor: 'openai', credential: 'main', outcome: 'ok', durationMs: 1 }];
  const refused = { price: null, vendor: null, usage: NO_USAGE, amountMicro: 0n, chargeMicro: 0n } as const;
  await ledger.settle([
    callOf({ accountId, attempts }),
    callOf({ accountId, attempts, payer: 'subscription', chargeMicro: 0n, freeReason: 'covered' }),
    callOf({ accountId, attempts, payer: 'byok', chargeMicro: 0n, freeReason: 'byok' }),
    callOf({ accountId, ...refused, payer: 'none', status: 429, verdict: 'refused' }),
    callOf({ accountId, attempts, createdAtMs: NOVEMBER + 3_600_000 }),
  ]);
  const stats = createOperatorStats(database);
  const hour = { fromMs: NOVEMBER, toMs: NOVEMBER + 3_600_000 };
  expect(await stats.traffic(hour)).toEqual({
    ...{ calls: 4, failed: 1, activeAccounts: 1, byokCalls: 1, coveredMicro: 25_000n },
    errors: [{ status: 429, calls: 1 }],
  });
  const paid = { revenueMicro: 25_000n, costMicro: 50_000n };
  expect(await stats.vendors(hour)).toMatchObject([{ vendor: 'openai', calls: 3, ...paid }]);
  expect(await stats.credentials(hour)).toMatchObject([{ credential: 'main', calls: 2, ...paid }]);
  expect((await stats.traffic({ ...hour, toMs: hour.toMs + 3_600_000 })).calls).toBe(5);
});
