import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { SUBSCRIPTIONS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { applyCatalog } from '../catalog/catalog.ts';
import { findAccount, findLogin } from './accounts.ts';
import {
  cancelSubscription,
  type DaysGranted,
  grantDays,
  grantSubscription,
  listSubscriptions,
} from './subscriptions.ts';

const sealer = newSealer(['the secret of this test, long enough'], systemRandom);
const unsealing = { sealer, log: silentLogger };
const DAY_MS = 86_400_000;
const nowMs = Date.now();

let fresh: FreshDatabase;
let accountId: number;

beforeEach(async () => {
  fresh = await freshDatabase();
  const hashPassword = (): Promise<string> => Promise.resolve('hash');
  const options = { ...unsealing, clock: systemClock, hashPassword };
  await applyCatalog(fresh.database, catalogDocument(CATALOG_TEXT), options);
  accountId = (await findLogin(fresh.database, 'operator@example.com'))?.accountId ?? 0;
});
afterEach(() => fresh.drop());

const WANTED = { planCode: 'PRO', days: undefined, start: 'now' } as const;

async function granted(change: Partial<DaysGranted> = {}) {
  const result = await grantDays(fresh.database, { ...WANTED, accountId, ...change }, nowMs);
  if (result.kind !== 'granted') throw new Error(result.kind);
  return result;
}

const list = (at = nowMs) =>
  listSubscriptions(fresh.database, accountId, { offset: 0, limit: 10, nowMs: at });

describe('a subscription granted by days', () => {
  it('lasts its plan’s period, or the given number of days, from now on', async () => {
    expect(await granted()).toMatchObject({ startsAtMs: nowMs, endsAtMs: nowMs + 30 * DAY_MS });
    expect(await granted({ days: 7 })).toMatchObject({ startsAtMs: nowMs, endsAtMs: nowMs + 7 * DAY_MS });
  });

  it('can follow the one that ends last, and begins now when there is none', async () => {
    const first = await granted({ start: 'after-current', days: 3 });
    expect(first.startsAtMs).toBe(nowMs);
    const second = await granted({ start: 'after-current', days: 5 });
    expect(second).toMatchObject({ startsAtMs: nowMs + 3 * DAY_MS, endsAtMs: nowMs + 8 * DAY_MS });
    expect(await cancelSubscription(fresh.database, accountId, second.subscriptionId)).toBe(true);
    // A cancelled one is not waited for.
    expect((await granted({ start: 'after-current' })).startsAtMs).toBe(nowMs + 3 * DAY_MS);
  });

  it('follows also those that are granted at the same moment', async () => {
    const wanted = { ...WANTED, accountId, days: 1, start: 'after-current' } as const;
    const all = await Promise.all([1, 2, 3].map(() => grantDays(fresh.database, wanted, nowMs)));
    const starts = all.map((each) => (each.kind === 'granted' ? (each.startsAtMs - nowMs) / DAY_MS : -1));
    expect(starts.sort()).toEqual([0, 1, 2]);
  });

  it('needs an existing plan and account', async () => {
    const gold = { ...WANTED, accountId, planCode: 'GOLD' };
    expect(await grantDays(fresh.database, gold, nowMs)).toEqual({ kind: 'unknown-plan' });
    const nobody = { ...WANTED, accountId: 999 };
    expect(await grantDays(fresh.database, nobody, nowMs)).toEqual({ kind: 'unknown-account' });
  });

  it('is limited in number of those that have not ended', async () => {
    await fresh.database.query(
      `insert into subscriptions (account_id, plan_code, starts_at, ends_at)
       select $1, 'PRO', now() - interval '2 days', now() + case when n <= $2 then interval '1 day'
         else interval '-1 day' end from generate_series(1, $2::int + 5) n`,
      [accountId, SUBSCRIPTIONS_PER_ACCOUNT_MAX - 1],
    );
    await granted();
    expect(await grantDays(fresh.database, { ...WANTED, accountId }, nowMs)).toEqual({ kind: 'too-many' });
  });
});

describe('the list of subscriptions', () => {
  it('shows which are current, future, ended or cancelled, the last to end first', async () => {
    const period = (startsAtMs: number, endsAtMs: number) =>
      grantSubscription(fresh.database, { accountId, planCode: 'PRO', startsAtMs, endsAtMs });
    await period(nowMs - 9 * DAY_MS, nowMs - DAY_MS);
    await granted({ days: 2 });
    await granted({ start: 'after-current', days: 2 });
    const { subscriptionId } = await granted({ days: 9 });
    await cancelSubscription(fresh.database, accountId, subscriptionId);
    const { items, total } = await list();
    expect(total).toBe(4);
    expect(items.map(({ status }) => status)).toEqual(['cancelled', 'upcoming', 'active', 'ended']);
    expect(items[2]).toMatchObject({ planCode: 'PRO', startsAtMs: nowMs, endsAtMs: nowMs + 2 * DAY_MS });
    // From its first moment on, and not in its last.
    const at = async (ms: number) => (await list(ms)).items.map(({ status }) => status);
    expect(await at(nowMs + 2 * DAY_MS)).toEqual(['cancelled', 'active', 'ended', 'ended']);
    expect(await at(nowMs + 2 * DAY_MS - 1)).toEqual(['cancelled', 'upcoming', 'active', 'ended']);
  });

  it('has pages', async () => {
    for (const days of [1, 2, 3]) await granted({ days });
    const page = await listSubscriptions(fresh.database, accountId, { offset: 2, limit: 2, nowMs });
    expect(page.total).toBe(3);
    expect(page.items.map(({ endsAtMs }) => endsAtMs)).toEqual([nowMs + DAY_MS]);
  });
});

it('an ended subscription cannot be cancelled, nor one of another account', async () => {
  const ended = { accountId, planCode: 'PRO', startsAtMs: nowMs - 2 * DAY_MS, endsAtMs: nowMs - DAY_MS };
  const past = await grantSubscription(fresh.database, ended);
  if (past.kind !== 'granted') throw new Error(past.kind);
  expect(await cancelSubscription(fresh.database, accountId, past.subscriptionId)).toBe(false);
  const { subscriptionId } = await granted();
  expect(await cancelSubscription(fresh.database, accountId + 1, subscriptionId)).toBe(false);
  expect(await cancelSubscription(fresh.database, accountId, subscriptionId)).toBe(true);
  expect((await findAccount(fresh.database, accountId, unsealing))?.subscriptions).toEqual([]);
});
