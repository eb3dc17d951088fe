import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DemoClient } from '../../src/cli/demo/demo-client.ts';
import { writeHistory } from '../../src/cli/demo/demo-history.ts';
import { type DemoKeys, findAccountId, furnish, USER } from '../../src/cli/demo/demo-people.ts';
import { TURNS, type Turn } from '../../src/cli/demo/demo-traffic.ts';
import { Trickle } from '../../src/cli/demo/demo-trickle.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { parseMicro } from '../../src/kernel/money.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import type { LoggedCall } from '../../src/ledger/log.ts';
import { openSealer, type Setup } from '../../src/setup.ts';
import { findAccount } from '../../src/store/accounts/accounts.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { pageOfBalanceLog } from '../../src/store/logs/balance-log.ts';
import { pageOfLog } from '../../src/store/logs/log-pages.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { demoCatalog } from '../support/demo-catalog.ts';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';

const DAYS = 4;
const DAY_MS = 86_400_000;

let world: World;
let setup: Setup;
let keys: DemoKeys;
let userId: number;
let made: number;
const nowMs = systemClock.now();

beforeAll(async () => {
  world = await startWorld(await demoCatalog(nowMs));
  const { config, database } = world;
  setup = { config, database, sealer: await openSealer(config, database), log: silentLogger };
  keys = await furnish(setup, nowMs);
  made = await writeHistory(setup, keys, { nowMs, days: DAYS });
  await announceAndWait(database);
  userId = await findAccountId(setup, USER);
});

afterAll(() => world.close());

async function callsOf(accountId: number): Promise<readonly LoggedCall[]> {
  const place = { skip: 0, size: 500 };
  return (await pageOfLog(world.database, 'calls', { accountId, filter: {}, place })).items;
}

describe('the history of the demo', () => {
  test('has calls of every payer on each of its days, and none in the future', async () => {
    const calls = await callsOf(userId);
    expect(made).toBeGreaterThan(calls.length);
    expect(new Set(calls.map(({ payer }) => payer))).toEqual(new Set(['credits', 'subscription', 'byok']));
    expect(new Set(calls.map(({ protocolIn }) => protocolIn)).size).toBeGreaterThanOrEqual(4);
    expect(calls.some(({ protocolIn, protocolOut }) => protocolIn !== protocolOut)).toBe(true);
    const days = new Set(calls.map(({ createdAtMs }) => Math.floor(createdAtMs / DAY_MS)));
    expect(days.size).toBeGreaterThanOrEqual(DAYS);
    expect(calls.every(({ createdAtMs }) => createdAtMs < nowMs)).toBe(true);
  });

  test('leaves the Credits that the demo begins with', async () => {
    const account = await findAccount(world.database, userId, setup);
    expect(account?.funds.creditsMicro).toBe(parseMicro('10000'));
  });

  test('enters money at the time of its calls, so that the balance log is in order', async () => {
    const place = { skip: 0, size: 500 };
    const { items, total } = await pageOfBalanceLog(world.database, userId, { range: {}, place });
    expect(items).toHaveLength(total);
    const times = items.map(({ createdAtMs }) => createdAtMs);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(times.at(-1)).toBeLessThan(nowMs - (DAYS - 2) * DAY_MS);
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['top_up', 'exchange', 'consumption']));
  });

  test('agrees with the ledger, the sums and the receipts', async () => {
    expect(await examine(world.database)).toEqual([]);
  });
});

const BROKEN_OFF = 0;

/** What the calls of a turn are answered with. */
function expectedOf({ key, shape, burst, leaveAfterBytes }: Turn): readonly number[] {
  const { model } = shape.body;
  const asked = JSON.stringify(shape.body);
  if (leaveAfterBytes !== undefined || asked.includes('fault=reset')) return [BROKEN_OFF];
  if (burst !== undefined) return [200, 429];
  if (model === 'gpt-6') return [502];
  if (model === 'claude-opus-5' || key.startsWith('tom@')) return [403];
  return asked.includes('fault=status') ? [500] : [200];
}

async function play(client: DemoClient, turn: Turn): Promise<readonly number[]> {
  const { overloaded, burst = 1, shape, leaveAfterBytes } = turn;
  const key = keys.get(turn.key)?.text ?? '';
  if (overloaded !== undefined) {
    const { key: credential, status } = overloaded;
    world.simulator.script({ match: { key: credential }, times: 1, answer: { status } });
  }
  const ask = async (): Promise<number> =>
    client.ask(shape, { key, leaveAfterBytes }).then(
      ({ status }) => status,
      () => BROKEN_OFF,
    );
  const statuses = await Promise.all(Array.from({ length: burst }, ask));
  return [...new Set(statuses)].sort((one, other) => one - other);
}

describe('the trickle of the demo', () => {
  test('has calls that are served, and others that meet the trouble they look for', async () => {
    const client = new DemoClient(world.url);
    const name = ({ key, shape }: Turn): string => `${key} ${shape.path} ${shape.body.model ?? ''}`;
    const isServed = (turn: Turn): boolean => turn.overloaded === undefined && expectedOf(turn)[0] === 200;
    const results = await Promise.all(
      TURNS.filter((turn) => isServed(turn)).map(async (turn) => [name(turn), await play(client, turn)]),
    );
    // One after the other: a fault is for the next call, whoever makes it.
    const troubled = TURNS.filter((turn) => !isServed(turn));
    for (const turn of troubled) results.push([name(turn), await play(client, turn)]);
    await client.close();
    const expected = [...TURNS.filter((turn) => isServed(turn)), ...troubled];
    expect(results).toEqual(expected.map((turn) => [name(turn), expectedOf(turn)]));
    await world.settled();
    const calls = await callsOf(userId);
    const verdicts = new Set(calls.map(({ verdict }) => verdict));
    expect([...verdicts]).toEqual(expect.arrayContaining(['complete', 'cut-by-client', 'refused']));
    expect(calls.some(({ attempts }) => attempts.length > 1 && attempts.at(-1)?.outcome === 'ok')).toBe(true);
  });

  test('keeps calls coming until it is stopped, of all accounts', async () => {
    const before = (await callsOf(userId)).length;
    const client = new DemoClient(world.url);
    const pauseMs = { least: 0, most: 5 };
    const options = { setup, client, keys, vendors: world.simulator, random: seededRandom(7), pauseMs };
    const trickle = new Trickle(options);
    await until(async () => (await callsOf(userId)).length > before + 5);
    await trickle.stop();
    await world.settled();
    const stopped = (await callsOf(userId)).length;
    expect(await examine(world.database)).toEqual([]);
    expect((await callsOf(userId)).length).toBe(stopped);
  });
});
