import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listCauses } from '../../src/ledger/shortfall.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { listShortfalls } from '../../src/store/operations/doctor-shortfalls.ts';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';
import { RACE_CATALOG } from './catalog.ts';
import { ask, MICRO, openWallet, paidBy, type Wallet } from './wallet.ts';

/** Vendors that make more than they were allowed. Ten tokens are one Credit. */
let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: RACE_CATALOG });
});
afterAll(() => world?.close());

afterEach(async () => {
  await world.settled();
  expect(await examine(world.database)).toEqual([]);
});

const shortfallsOf = async ({ accountId }: Wallet) =>
  (await listShortfalls(world.database)).newest.filter((one) => one.accountId === accountId);

test.each([false, true])('an overrun of a hold is paid when the account can (stream: %s)', async (stream) => {
  const wallet = await openWallet(world, { credits: 1_000 });
  const directive = 'tokens=60 chunk=20 unbounded';
  expect((await ask(world, { key: wallet.key, max: 10, directive, stream })).status).toBe(200);
  await world.settled();
  expect(await paidBy(world, wallet.accountId)).toMatchObject([{ taken: 6n * MICRO, shortfall: 0n }]);
  expect((await wallet.funds()).credits).toBe(994n * MICRO);
});

test('an overrun is bought from the balance, and no cap is exceeded for it', async () => {
  const rich = await openWallet(world, { credits: 1, balance: 1, autoExchange: true });
  await ask(world, { key: rich.key, max: 10, directive: 'tokens=60 unbounded' });
  const capped = await openWallet(world, { credits: 1_000, cap: 0.004 });
  await ask(world, { key: capped.key, max: 10, directive: 'tokens=60 unbounded' });
  await world.settled();
  expect(await rich.funds()).toMatchObject({ credits: 0n, balance: 995_000n });
  expect(await capped.funds()).toMatchObject({ credits: 996n * MICRO, monthSpent: 4_000n });
  expect(await shortfallsOf(rich)).toEqual([]);
  expect(await shortfallsOf(capped)).toMatchObject([{ of: 'cap', shortfallMicro: 2n * MICRO }]);
});

/** A call that runs until the vendor is let go, and one beside it that outgrows its hold meanwhile. */
async function besideRunning(wallet: Wallet, runningTokens: number): Promise<void> {
  const tag = `running-${wallet.accountId}`;
  const directive = `tag=${tag} tokens=${runningTokens} delay=1500`;
  const running = ask(world, { key: wallet.key, max: 20, directive });
  await until(() => world.simulator.truth.list(tag).length > 0);
  const over = await ask(world, { key: wallet.key, max: 10, directive: 'tokens=60 unbounded' });
  expect(over.status).toBe(200);
  expect((await running).status).toBe(200);
  await world.settled();
}

test('an overrun waits for the hold of a running call, and is paid when that call needs less', async () => {
  const wallet = await openWallet(world, { credits: 7 });
  await besideRunning(wallet, 10);
  expect(await paidBy(world, wallet.accountId)).toMatchObject([
    { calls: 2n, taken: 7n * MICRO, shortfall: 0n },
  ]);
});

test('an overrun does not take the hold of a running call: it goes short, and the doctor reports why', async () => {
  const wallet = await openWallet(world, { credits: 5 });
  await besideRunning(wallet, 20);
  const [short, ...others] = await shortfallsOf(wallet);
  expect(others).toEqual([]);
  expect(short).toMatchObject({ chargeMicro: 6n * MICRO, shortfallMicro: 3n * MICRO, heldMicro: MICRO });
  expect(short).toMatchObject({ of: 'credits', expected: { outputTokens: 10 } });
  expect(short && listCauses(short)).toContain('output-beyond-bound');
});
