import { afterEach, beforeEach, expect, test } from 'vitest';
import { channelOf } from '../../../test/support/alerts.ts';
import { newMember } from '../../../test/support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import type { Condition } from '../../alerts/contract.ts';
import { AlertRounds } from '../../alerts/rounds.ts';
import { silentLogger } from '../../kernel/log.ts';
import { createAlertStore, listOperatorStates } from './states.ts';

let fresh: FreshDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

const down = (id: number): Condition => ({
  ...{ kind: 'route-down', key: `route-down:${id}`, accountId: undefined },
  details: { route: String(id), vendor: 'openai', model: 'gpt-5', nodes: 'local' },
});
const KINDS = ['route-down', 'credential-refused'];
const told = () =>
  fresh.database.query<{ state: string; key: string; channel_id: bigint }>(
    'select state, key, channel_id from alert_outbox order by id',
  );

test('a condition is told once to each channel that asks for it, and again when it is over', async () => {
  const [asking] = [
    await channelOf(fresh.database, undefined),
    await channelOf(fresh.database, undefined, { alerts: [] }),
  ];
  const store = createAlertStore(fresh.database);
  expect(await store.reconcile(KINDS, [down(1), down(1), down(2)])).toBe(2);
  expect(await store.reconcile(KINDS, [down(1), down(2)])).toBe(0);
  expect((await listOperatorStates(fresh.database)).map(({ key }) => key)).toEqual([
    'route-down:1',
    'route-down:2',
  ]);
  expect(await store.reconcile(['disk-nearly-full'], []), 'another kind clears nothing').toBe(0);
  expect(await store.reconcile(KINDS, [down(2)])).toBe(1);
  expect(await told()).toMatchObject([
    { state: 'raised', key: 'route-down:1', channel_id: BigInt(asking) },
    { state: 'raised', key: 'route-down:2' },
    { state: 'cleared', key: 'route-down:1' },
  ]);
  expect(await store.reconcile(KINDS, [down(1), down(2)]), 'it came back').toBe(1);
});

test('a condition that goes on is told again after a day', async () => {
  await channelOf(fresh.database, undefined);
  const store = createAlertStore(fresh.database);
  await store.reconcile(KINDS, [down(1)]);
  await fresh.database.query("update alert_states set told_at = now() - interval '23 hours'");
  expect(await store.reconcile(KINDS, [down(1)])).toBe(0);
  await fresh.database.query("update alert_states set told_at = now() - interval '25 hours'");
  expect(await store.reconcile(KINDS, [down(1)])).toBe(1);
  expect(await store.reconcile(KINDS, [down(1)])).toBe(0);
});

test('many nodes that find the same at once tell it once', async () => {
  await channelOf(fresh.database, undefined);
  const stores = Array.from({ length: 8 }, () => createAlertStore(fresh.database));
  const conditions = Array.from({ length: 20 }, (_, index) => down(index + 1));
  const messages = await Promise.all(stores.map((store) => store.reconcile(KINDS, conditions)));
  expect(messages.reduce((sum, each) => sum + each, 0)).toBe(20);
  expect(await told()).toHaveLength(20);
});

test('users are told of their own conditions only, and not that they are over', async () => {
  const [ada, bob] = [
    await newMember(fresh.database, 'ada@example.com'),
    await newMember(fresh.database, 'bob@example.com'),
  ];
  const channel = await channelOf(fresh.database, ada);
  await channelOf(fresh.database, bob);
  await channelOf(fresh.database, undefined, { alerts: ['credits-low'] });
  const store = createAlertStore(fresh.database);
  const low = { kind: 'credits-low', key: `credits-low:${ada}`, accountId: ada, details: {} };
  expect(await store.reconcile(['credits-low'], [low])).toBe(1);
  expect(await store.reconcile(['credits-low'], [])).toBe(0);
  expect(await told()).toMatchObject([{ channel_id: BigInt(channel), state: 'raised' }]);
});

test('one of many nodes does a task, and another takes over when its time has come', async () => {
  const stores = Array.from({ length: 6 }, () => createAlertStore(fresh.database));
  const claims = await Promise.all(stores.map((store) => store.claimTask('conditions', 60_000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await stores[0]?.claimTask('doctor', 60_000), 'not yet due').toBe(false);
  await fresh.database.query('update alert_tasks set due_at = now()');
  expect(await stores[1]?.claimTask('conditions', 60_000)).toBe(true);
});

test('a source that fails leaves its conditions as they were, and the others are looked at', async () => {
  await channelOf(fresh.database, undefined);
  const store = createAlertStore(fresh.database);
  await store.reconcile(['route-down'], [down(1)]);
  const broken = { kinds: ['route-down'], find: () => Promise.reject(new Error('unreadable')) };
  const disk = { ...down(2), kind: 'disk-nearly-full', key: 'disk-nearly-full:a' };
  const good = { kinds: ['disk-nearly-full'], find: async () => [disk] };
  const doctor = { kinds: ['doctor-finding'], find: async () => [] };
  await new AlertRounds({ store, sources: [broken, good], doctor, log: silentLogger }).run();
  const keys = (await listOperatorStates(fresh.database)).map(({ key }) => key);
  expect(keys.sort()).toEqual(['disk-nearly-full:a', 'route-down:1']);
});
