import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/store/operations/doctor.ts';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';
import { RACE_CATALOG } from './catalog.ts';
import { ask, openWallet, paidBy, parallel, tally, type Wallet } from './wallet.ts';

const MICRO = 1_000_000n;
const TALKS = { model: 'talker', stream: true } as const;
let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: RACE_CATALOG });
});
afterAll(() => world?.close());

afterEach(async () => {
  await world.settled();
  expect(await examine(world.database)).toEqual([]);
});

/** Calls that are at a vendor who takes his time. */
const runningTag = ({ accountId }: Wallet): string => `tag=running-${accountId}`;
const heard = ({ accountId }: Wallet): number => world.simulator.truth.list(`running-${accountId}`).length;

/** How many passed; all others must have been refused for one of these reasons. */
function passedOf(counts: Readonly<Record<string, number>>, reasons: readonly string[]): number {
  const { 200: passed = 0, ...refused } = counts;
  expect(reasons).toEqual(expect.arrayContaining(Object.keys(refused)));
  return passed;
}

describe('of k parallel calls at price p exactly ⌊B/p⌋ pass', () => {
  // Ten tokens are one Credit.
  test.each([
    { credits: 1, tokens: 10, count: 2 },
    { credits: 10.5, tokens: 10, count: 200 },
    { credits: 100.999, tokens: 20, count: 200 },
    { credits: 0.999, tokens: 10, count: 20 },
    { credits: 30, tokens: 10, count: 30 },
    { credits: 60.5, tokens: 200, count: 100 },
  ])('$credits Credits, $tokens tokens, $count calls', async ({ credits, tokens, count }) => {
    const wallet = await openWallet(world, { credits });
    const answers = await parallel(count, (index) =>
      ask(world, { key: wallet.key, max: tokens, directive: `tokens=${tokens} delay=${(index % 4) * 20}` }),
    );
    const price = tokens / 10;
    const passed = passedOf(tally(answers), ['40201', '40202']);
    expect(passed).toBe(Math.min(count, Math.floor(credits / price)));
    await world.settled();
    const left = BigInt(Math.round(credits * 1_000_000)) - BigInt(passed * price) * MICRO;
    expect((await wallet.funds()).credits).toBe(left);
  });

  test('also in successive waves while earlier ones settle', async () => {
    const wallet = await openWallet(world, { credits: 25.25 });
    let passed = 0;
    for (let wave = 0; wave < 10; wave++) {
      const answers = await parallel(8, () =>
        ask(world, { key: wallet.key, max: 10, directive: 'tokens=10' }),
      );
      passed += passedOf(tally(answers), ['40201', '40202']);
    }
    expect(passed).toBe(25);
    await world.settled();
    expect((await wallet.funds()).credits).toBe(250_000n);
  });
});

test('a call with an output limit above the available amount enters with less, if that is worth a call', async () => {
  // Three at thirty Credits, and thirty for the fourth, which may come to a hundred.
  const wallet = await openWallet(world, { credits: 120 });
  const running = parallel(3, () =>
    ask(world, { key: wallet.key, max: 300, directive: `${runningTag(wallet)} tokens=300 delay=2000` }),
  );
  await until(() => heard(wallet) === 3);
  const fourth = await ask(world, { key: wallet.key, max: 1_000, directive: 'tokens=1000' });
  expect([fourth.status, fourth.headers.get('x-tollgate-max-output-tokens')]).toEqual([200, '300']);
  expect(tally(await running)).toEqual({ 200: 3 });
  await world.settled();
  expect((await wallet.funds()).credits).toBe(0n);
  expect(await paidBy(world, wallet.accountId)).toMatchObject([
    { payer: 'credits', calls: 4n, charge: 120n * MICRO, taken: 120n * MICRO, shortfall: 0n },
  ]);
});

test('an unused hold is available to the next call', async () => {
  const wallet = await openWallet(world, { credits: 19 });
  for (let turn = 0; turn < 10; turn++) {
    const { status } = await ask(world, { key: wallet.key, max: 100, directive: 'tokens=10' });
    expect(status).toBe(200);
  }
  await world.settled();
  expect((await wallet.funds()).credits).toBe(9n * MICRO);
});

test('a plain answer is limited by the rest of the cap', async () => {
  const wallet = await openWallet(world, { credits: 1000, cap: 0.032 });
  const running = ask(world, {
    key: wallet.key,
    max: 20,
    directive: `${runningTag(wallet)} tokens=20 delay=2000`,
  });
  await until(() => heard(wallet) === 1);
  // Thirty Credits are left under the cap, and this one would come to a hundred.
  const long = await ask(world, { key: wallet.key, max: 1_000, directive: 'tokens=1000' });
  expect([long.status, (await running).status]).toEqual([200, 200]);
  await world.settled();
  expect(await wallet.funds()).toMatchObject({ credits: 968n * MICRO, monthSpent: 32_000n });
  expect(await paidBy(world, wallet.accountId)).toMatchObject([{ taken: 32n * MICRO, shortfall: 0n }]);
});

describe('auto-exchange', () => {
  test('takes exactly what is missing, and Credits and balance together are the limit', async () => {
    // 3 Credits, and 5.5 that the balance can buy.
    const wallet = await openWallet(world, { credits: 3, balance: 0.0055, autoExchange: true });
    const answers = await parallel(50, () =>
      ask(world, { key: wallet.key, max: 10, directive: 'tokens=10' }),
    );
    expect(passedOf(tally(answers), ['40201', '40202'])).toBe(8);
    await world.settled();
    expect(await wallet.funds()).toMatchObject({ credits: 0n, balance: 500n });
  });

  test('does not use the balance while there are Credits', async () => {
    const wallet = await openWallet(world, { credits: 3, balance: 1, autoExchange: true });
    await ask(world, { key: wallet.key, max: 30, directive: 'tokens=30' });
    await world.settled();
    expect(await wallet.funds()).toMatchObject({ credits: 0n, balance: MICRO });
    await ask(world, { key: wallet.key, max: 15, directive: 'tokens=15' });
    await world.settled();
    expect(await wallet.funds()).toMatchObject({ credits: 0n, balance: 998_500n });
  });
});

describe('a stream that exceeds its hold', () => {
  test('is stopped with 40201, and charged for what was delivered, which is no more than was held', async () => {
    const wallet = await openWallet(world, { credits: 30 });
    const directive = 'tag=outgrow tokens=2000 pace=2';
    const answer = await ask(world, { ...TALKS, key: wallet.key, max: 2000, directive });
    expect(answer.text.slice(-500)).toContain('40201');
    expect(answer.text).not.toContain('[DONE]');
    await world.settled();
    const [row] = await world.database.query<{ charge: bigint; shortfall: bigint; output: bigint }>(
      `select c.charge_micro as charge, s.shortfall_micro as shortfall, c.output_text as output
       from calls c join consumptions s using (created_at, call_id) where c.account_id = $1`,
      [wallet.accountId],
    );
    const { credits } = await wallet.funds();
    const produced = world.simulator.truth.find('outgrow')?.outputTokens ?? 0;
    expect(Number(row?.output)).toBeLessThanOrEqual(produced);
    expect(row?.charge).toBe((row?.output ?? 0n) * 100_000n);
    expect([row?.shortfall, credits]).toEqual([0n, 30n * MICRO - (row?.charge ?? 0n)]);
    // Some tokens are kept back, so that none is delivered that nobody pays for.
    expect(credits).toBeLessThan(4n * MICRO);
  });

  test('ends normally when it uses exactly the hold', async () => {
    const wallet = await openWallet(world, { credits: 3 });
    // A look at the hold falls between the last token and the end of the stream.
    const directive = 'tokens=30 chunk=1 fault=pause@31:1200';
    const answer = await ask(world, { ...TALKS, key: wallet.key, max: 30, directive });
    expect(answer.text).toContain('"finish_reason":"');
    expect(answer.text).toContain('[DONE]');
    await world.settled();
    expect((await wallet.funds()).credits).toBe(0n);
    expect(await paidBy(world, wallet.accountId)).toMatchObject([{ taken: 3n * MICRO, shortfall: 0n }]);
  });

  test('gets what others release meanwhile', async () => {
    const wallet = await openWallet(world, { credits: 60 });
    const other = ask(world, {
      key: wallet.key,
      max: 300,
      directive: `${runningTag(wallet)} tokens=10 delay=300`,
    });
    await until(() => heard(wallet) === 1);
    const directive = 'tokens=400 pace=5';
    const answer = await ask(world, { ...TALKS, key: wallet.key, max: 450, directive });
    expect(answer.text).toContain('[DONE]');
    expect((await other).status).toBe(200);
    await world.settled();
    expect((await wallet.funds()).credits).toBe(19n * MICRO);
  });

  test('stops at the monthly cap with 40204', async () => {
    const wallet = await openWallet(world, { credits: 1000, cap: 0.03 });
    const directive = 'tokens=2000 pace=2';
    const answer = await ask(world, { ...TALKS, key: wallet.key, max: 2000, directive });
    expect(answer.text.slice(-500)).toContain('40204');
    await world.settled();
    const { credits, monthSpent } = await wallet.funds();
    expect(monthSpent).toBeLessThanOrEqual(30_000n);
    expect(monthSpent).toBeGreaterThan(26_000n);
    expect(credits).toBe(1000n * MICRO - monthSpent * 1_000n);
    const later = await ask(world, { key: wallet.key, max: 100, directive: 'tokens=10' });
    expect(later).toMatchObject({ status: 403, code: 40204 });
  });

  test('of a model with hidden thinking gets an output limit', async () => {
    const wallet = await openWallet(world, { credits: 30 });
    const directive = 'tokens=100 thinking=2000 tag=unseen';
    const answer = await ask(world, { key: wallet.key, max: 5_000, directive, stream: true });
    expect(answer.headers.get('x-tollgate-max-output-tokens')).toBe('300');
    expect(answer.text).toContain('[DONE]');
    await world.settled();
    expect(world.simulator.truth.find('unseen')?.outputTokens).toBe(300);
    expect(await paidBy(world, wallet.accountId)).toMatchObject([{ taken: 30n * MICRO, shortfall: 0n }]);
  });
});

test('an account without Credits left is refused from the next call on, before and after settlement', async () => {
  const wallet = await openWallet(world, { credits: 2 });
  await ask(world, { key: wallet.key, max: 20, directive: 'tokens=20' });
  const atOnce = await ask(world, { key: wallet.key, max: 10, directive: 'tokens=10' });
  expect([40201, 40202]).toContain(atOnce.code);
  await world.settled();
  const settled = await ask(world, { key: wallet.key, max: 10, directive: 'tokens=10' });
  expect(settled).toMatchObject({ status: 403, code: 40202 });
});
