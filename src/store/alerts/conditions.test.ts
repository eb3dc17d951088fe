import { afterEach, beforeEach, expect, test } from 'vitest';
import { alertSealer, channelOf } from '../../../test/support/alerts.ts';
import { callOf } from '../../../test/support/calls.ts';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import type { ConditionSource, NodeFacts } from '../../alerts/contract.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createCalendar, createTimes } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { findLogin } from '../accounts/accounts.ts';
import { createKey } from '../accounts/api-keys.ts';
import { applyCatalog } from '../catalog/catalog.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { writeHeartbeat } from '../operations/heartbeats.ts';
import { createNodeSource, doctorCondition } from './node-conditions.ts';
import { createUserSources } from './user-conditions.ts';

let fresh: FreshDatabase;
let accountId: number;
const calendar = createCalendar('UTC');

beforeEach(async () => {
  fresh = await freshDatabase();
  const hashPassword = (): Promise<string> => Promise.resolve('hash');
  const options = { sealer: alertSealer, log: silentLogger, clock: systemClock, hashPassword };
  await applyCatalog(fresh.database, catalogDocument(CATALOG_TEXT), options);
  accountId = (await findLogin(fresh.database, 'user@example.com'))?.accountId ?? 0;
});
afterEach(() => fresh.drop());

function sourceOf(kind: string): ConditionSource {
  const { showTime } = createTimes('UTC');
  const { database } = fresh;
  const parts = { database, clock: systemClock, creditsPerYuan: 1_000, month: calendar.month, showTime };
  const found = createUserSources(parts).find(({ kinds }) => kinds.includes(kind));
  if (found === undefined) throw new Error(kind);
  return found;
}

const asking = (...alerts: string[]) => channelOf(fresh.database, accountId, { alerts });
const setAccount = (change: string) =>
  fresh.database.query(`update accounts set ${change} where id = $1`, [accountId]);

test('Credits are low below what the account chose, with the balance if it is exchanged', async () => {
  const source = sourceOf('credits-low');
  await setAccount(
    'credits_micro = 999000000, balance_micro = 5000000, api_billing = true, auto_exchange = false',
  );
  expect(await source.find(), 'nobody asks').toEqual([]);
  await asking('credits-low');
  expect(await source.find()).toEqual([
    {
      ...{ kind: 'credits-low', key: `credits-low:${accountId}`, accountId },
      details: { credits: '999', threshold: '1000' },
    },
  ]);
  await setAccount('auto_exchange = true');
  expect(await source.find()).toEqual([]);
  await setAccount('auto_exchange = false');
  await fresh.database.query(
    'insert into alert_settings (account_id, credits_low_micro) values ($1, 999000000)',
    [accountId],
  );
  expect(await source.find()).toEqual([]);
  await fresh.database.query('update alert_settings set credits_low_micro = 999000001');
  expect(await source.find()).toHaveLength(1);
  await setAccount('api_billing = false');
  expect(await source.find()).toEqual([]);
});

test('the cap is near from 80 % and reached from 100 %, in this month only', async () => {
  await asking('cap-near', 'cap-reached');
  const month = calendar.month(systemClock.now());
  const spend = async (spent: number, of = month) => {
    await setAccount(`month = '${of}', month_spent_micro = ${spent}, extra_api_quota_micro = 1000000`);
    return (await sourceOf('cap-near').find()).map(({ key }) => key);
  };
  expect(await spend(799_999)).toEqual([]);
  expect(await spend(800_000)).toEqual([`cap-near:${accountId}:${month}`]);
  expect(await spend(999_999)).toEqual([`cap-near:${accountId}:${month}`]);
  expect(await spend(1_000_000)).toEqual([`cap-reached:${accountId}:${month}`]);
  expect(await spend(1_000_000, '2001-01')).toEqual([]);
  await setAccount(`month = '${month}', extra_api_quota_micro = 0`);
  expect(await sourceOf('cap-near').find()).toEqual([]);
});

test('a key that expires within a week is told, by its expiry', async () => {
  await asking('key-expiring');
  const make = (name: string, expiresAtMs: number | undefined) =>
    createKey(
      fresh.database,
      { accountId, name, policyId: undefined, expiresAtMs, status: 'enabled' },
      systemRandom,
    );
  const day = 86_400_000;
  await make('soon', systemClock.now() + 6 * day);
  await make('later', systemClock.now() + 8 * day);
  await make('gone', systemClock.now() - day);
  await make('for ever', undefined);
  const [found, ...rest] = await sourceOf('key-expiring').find();
  expect(found).toMatchObject({ accountId, details: { name: 'soon' } });
  expect(rest).toEqual([]);
  await fresh.database.query(
    "update api_keys set expires_at = expires_at - interval '1 day' where name = 'soon'",
  );
  expect((await sourceOf('key-expiring').find())[0]?.key).not.toBe(found?.key);
});

test('a limit that refused calls within the hour is told once for each limit, money is not', async () => {
  await asking('limit-hit');
  const ledger = createLedgerStore({ database: fresh.database, creditsPerYuan: 1_000, calendar });
  const hit = {
    policy: 'default',
    limit: '60',
    used: '60',
    held: '0',
    needed: null,
    seconds: 60,
    resetMs: 1,
  };
  const refused = (of: string, scope: string | null, agoMs: number) =>
    callOf({
      ...{ accountId, createdAtMs: systemClock.now() - agoMs, verdict: 'refused' },
      refusal: { message: 'no', hit: { ...hit, of, scope } },
    });
  const scope = `account:${accountId}`;
  await ledger.settle([
    ...[
      refused('requests', scope, 1_000),
      refused('requests', scope, 2_000),
      refused('tokens', scope, 3_000),
    ],
    ...[refused('credits', null, 1_000), refused('images', scope, 2 * 3_600_000)],
  ]);
  const found = await sourceOf('limit-hit').find();
  expect(found.map(({ key }) => key)).toEqual([
    `limit-hit:${accountId}:requests:${scope}`,
    `limit-hit:${accountId}:tokens:${scope}`,
  ]);
  expect(found[0]?.details).toEqual({ limit: 'requests', scope, value: '60' });
});

test('what processes observe of vendors and of themselves is told by the thing, with who saw it', async () => {
  const [route] = await fresh.database.query<{ id: bigint; credential_id: bigint }>(
    "select id, credential_id from routes where status = 'enabled' order by id limit 1",
  );
  const [routeId, credentialId] = [Number(route?.id), Number(route?.credential_id)];
  const beat = (node: string, facts: Partial<NodeFacts>) =>
    writeHeartbeat(fresh.database, {
      ...{ node, instance: 'a:1', worker: 0, startedAtMs: 1, version: '1', activeCalls: 0 },
      facts: {
        routes: [],
        credentials: [],
        lag: { calls: 0, highMs: 0, stillMs: 0 },
        disk: { free: 0.5 },
        ...facts,
      },
    });
  const keys = async () => (await createNodeSource(fresh.database).find()).map(({ key }) => key).sort();
  await beat('one', { routes: [{ id: routeId, downMs: 30_000 }], disk: null });
  await beat('two', { lag: { calls: 999, highMs: 0, stillMs: 10 } });
  expect(await keys()).toEqual([]);
  const routes = [
    { id: routeId, downMs: 90_000 },
    { id: 900_001, downMs: 90_000 },
  ];
  await beat('one', { routes, credentials: [{ id: credentialId, agoMs: 5_000 }], disk: { free: 0.099 } });
  await beat('two', { routes, lag: { calls: 3, highMs: 0, stillMs: 700_000 } });
  expect(await keys()).toEqual([
    ...[`credential-refused:${credentialId}`, 'disk-nearly-full:one (a:1)', `route-down:${routeId}`],
    'settling-lags:two (a:1)',
  ]);
  const down = (await createNodeSource(fresh.database).find()).find(({ kind }) => kind === 'route-down');
  expect(down?.details.nodes).toBe('one (a:1), two (a:1)');
  await fresh.database.query("update node_heartbeats set seen_at = now() - interval '1 minute'");
  expect(await keys(), 'nobody is there').toEqual([]);
});

test('findings of the doctor are one condition', () => {
  expect(doctorCondition([])).toEqual([]);
  const finding = { check: 'chain', subject: 'account 12', detail: '3 is not 4' } as never;
  expect(doctorCondition([finding, finding])).toMatchObject([
    { key: 'doctor-finding', details: { findings: '2', first: 'chain: account 12, 3 is not 4' } },
  ]);
});
