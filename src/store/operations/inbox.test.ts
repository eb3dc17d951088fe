import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, auditContext } from '../../../test/support/audit.ts';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { findRegistration } from '../accounts/registration.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { type AuditContext, listAudit } from './audit.ts';
import { changeRegistration, listFeedback, listOwnFeedback, setFeedback } from './inbox.ts';
import { findSeries } from './operator-series.ts';
import { findCredentialSales, findTraffic, findVendorSales } from './operator-stats.ts';

let fresh: FreshDatabase;
let audit: AuditContext;
const PAGE = { offset: 0, limit: 10 };

beforeAll(async () => {
  fresh = await freshDatabase();
  audit = auditContext(fresh.database);
});
afterAll(() => fresh.drop());

test('feedback is open until an operator says that it is done', async () => {
  await fresh.database.query(`insert into feedback (content) values ('one'), ('two')`);
  const open = await listFeedback(fresh.database, { status: 'open', ...PAGE });
  expect(open).toMatchObject({ total: 2, items: [{ content: 'two' }, { content: 'one' }] });
  const id = open.items[0]?.id ?? 0;
  expect(await setFeedback(audit, id, { status: 'done' }, ACTOR)).toMatchObject({
    message: { status: 'done' },
  });
  expect((await listFeedback(fresh.database, { status: 'open', ...PAGE })).items).toMatchObject([
    { content: 'one' },
  ]);
  expect((await listFeedback(fresh.database, { status: undefined, ...PAGE })).total).toBe(2);
  expect(await setFeedback(audit, 99, { status: 'done' }, ACTOR)).toEqual({ kind: 'not-found' });
});

test('its author reads the answer to feedback, and an operator changes it or takes it back', async () => {
  const [author, other] = [await accountWith(fresh.database, {}), await accountWith(fresh.database, {})];
  const [sent] = await fresh.database.query<{ id: bigint }>(
    `insert into feedback (account_id, content) values ($1, 'mine') returning id`,
    [author],
  );
  const id = Number(sent?.id);
  const answered = await setFeedback(audit, id, { answer: 'thank you' }, ACTOR);
  expect(answered).toMatchObject({ message: { status: 'open', answer: { text: 'thank you' } } });
  expect(await setFeedback(audit, id, { status: 'done' }, ACTOR)).toEqual({
    kind: 'changed',
    message: { ...(answered.kind === 'changed' ? answered.message : undefined), status: 'done' },
  });
  expect(await listOwnFeedback(fresh.database, author, PAGE)).toMatchObject({
    ...{ total: 1, items: [{ id, content: 'mine', answer: { text: 'thank you' } }] },
  });
  expect(await listOwnFeedback(fresh.database, other, PAGE)).toEqual({ total: 0, items: [] });
  expect(await setFeedback(audit, id, { answer: null }, ACTOR)).toMatchObject({
    message: { status: 'done', answer: undefined },
  });
});

test('what operators say of registration holds, or the configuration does', async () => {
  expect(await findRegistration(fresh.database)).toBeUndefined();
  await changeRegistration(audit, 'closed', ACTOR);
  expect(await findRegistration(fresh.database)).toBe('closed');
  await changeRegistration(audit, undefined, ACTOR);
  expect(await findRegistration(fresh.database)).toBeUndefined();
  const { items } = await listAudit(fresh.database, {
    ...{ actorAccountId: undefined, entity: 'registration', entityKey: undefined, action: undefined },
    accountId: undefined,
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
  const hour = { fromMs: NOVEMBER, toMs: NOVEMBER + 3_600_000 };
  expect(await findTraffic(database, hour)).toEqual({
    ...{ calls: 4, failed: 1, activeAccounts: 1, byokCalls: 1, coveredMicro: 25_000n },
    errors: [{ status: 429, calls: 1 }],
  });
  const paid = { revenueMicro: 25_000n, costMicro: 50_000n };
  expect(await findVendorSales(database, hour)).toMatchObject([{ vendor: 'openai', calls: 3, ...paid }]);
  expect(await findCredentialSales(database, hour)).toMatchObject([
    { credential: 'main', calls: 2, ...paid },
  ]);
  const both = { ...hour, toMs: hour.toMs + 3_600_000 };
  expect((await findTraffic(database, both)).calls).toBe(5);
  const series = await findSeries(database, { ...both, edges: [hour.fromMs, hour.toMs] });
  expect(series.traffic.map(({ calls }) => calls)).toEqual([4, 1]);
  expect(series.errors).toEqual([{ status: 429, points: [1, 0] }]);
  expect(series.vendors).toMatchObject([{ vendor: 'openai', points: [{ calls: 3, ...paid }, { calls: 1 }] }]);
});
