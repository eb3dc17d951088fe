import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/store/doctor.ts';
import { startWorld, type World } from '../support/world.ts';
import { RACE_CATALOG } from './catalog.ts';
import { ask, openPurse, paidBy, parallel, tally } from './purse.ts';

const MICRO = 1_000_000n;
let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: RACE_CATALOG });
});
afterAll(() => world?.close());

afterEach(async () => {
  await world.settled();
  expect(await examine(world.database)).toEqual([]);
});

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
    const purse = await openPurse(world, { credits });
    const answers = await parallel(count, (index) =>
      ask(world, { key: purse.key, max: tokens, directive: `tokens=${tokens} delay=${(index % 4) * 20}` }),
    );
    const price = tokens / 10;
    const passed = passedOf(tally(answers), ['40201', '40202']);
    expect(passed).toBe(Math.min(count, Math.floor(credits / price)));
    await world.settled();
    const left = BigInt(Math.round(credits * 1_000_000)) - BigInt(passed * price) * MICRO;
    expect((await purse.funds()).credits).toBe(left);
  });

  test('also when they come one wave after the other while earlier ones settle', async () => {
    const purse = await openPurse(world, { credits: 25.25 });
    let passed = 0;
    for (let wave = 0; wave < 10; wave++) {
      const answers = await parallel(8, () =>
        ask(world, { key: purse.key, max: 10, directive: 'tokens=10' }),
      );
      passed += passedOf(tally(answers), ['40201', '40202']);
    }
    expect(passed).toBe(25);
    await world.settled();
    expect((await purse.funds()).credits).toBe(250_000n);
  });
});

test('a rest of a Credit or more lets one more in, which pays all of it: the rest of its price is shortfall', async () => {
  // Three at three Credits, and one Credit for the fourth.
  const purse = await openPurse(world, { credits: 10 });
  const answers = await parallel(40, () => ask(world, { key: purse.key, max: 30, directive: 'tokens=30' }));
  expect(passedOf(tally(answers), ['40201', '40202'])).toBe(4);
  await world.settled();
  expect((await purse.funds()).credits).toBe(0n);
  expect(await paidBy(world, purse.accountId)).toMatchObject([
    { payer: 'credits', calls: 4n, charge: 12n * MICRO, taken: 10n * MICRO, shortfall: 2n * MICRO },
  ]);
});

test('what was held and not used is free again for the next call', async () => {
  const purse = await openPurse(world, { credits: 10 });
  for (let turn = 0; turn < 10; turn++) {
    const { status } = await ask(world, { key: purse.key, max: 100, directive: 'tokens=10' });
    expect(status).toBe(200);
  }
  await world.settled();
  expect((await purse.funds()).credits).toBe(0n);
});

test('a plain answer that costs more than could be held never passes the cap: the rest is shortfall', async () => {
  const purse = await openPurse(world, { credits: 1000, cap: 0.005 });
  const running = ask(world, { key: purse.key, max: 20, directive: 'tokens=20 delay=400' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  // Three Credits are left under the cap, and this one comes to twenty.
  const long = await ask(world, { key: purse.key, max: 200, directive: 'tokens=200' });
  expect([long.status, (await running).status]).toEqual([200, 200]);
  await world.settled();
  expect(await purse.funds()).toMatchObject({ credits: 995n * MICRO, monthSpent: 5_000n });
  const rows = await world.database.query<{ credits: bigint; shortfall: bigint }>(
    `select credits_micro as credits, shortfall_micro as shortfall from consumptions
     where account_id = $1 order by shortfall_micro`,
    [purse.accountId],
  );
  // What the other call holds under the cap stays its own.
  expect(rows).toEqual([
    { credits: 2n * MICRO, shortfall: 0n },
    { credits: 3n * MICRO, shortfall: 17n * MICRO },
  ]);
});

describe('auto-exchange', () => {
  test('takes exactly what is missing, and Credits and balance together are the bound', async () => {
    // 3 Credits, and 5.5 that the balance can buy.
    const purse = await openPurse(world, { credits: 3, balance: 0.0055, autoExchange: true });
    const answers = await parallel(50, () => ask(world, { key: purse.key, max: 10, directive: 'tokens=10' }));
    expect(passedOf(tally(answers), ['40201', '40202'])).toBe(8);
    await world.settled();
    expect(await purse.funds()).toMatchObject({ credits: 0n, balance: 500n });
  });

  test('leaves the balance alone while there are Credits', async () => {
    const purse = await openPurse(world, { credits: 3, balance: 1, autoExchange: true });
    await ask(world, { key: purse.key, max: 30, directive: 'tokens=30' });
    await world.settled();
    expect(await purse.funds()).toMatchObject({ credits: 0n, balance: MICRO });
    await ask(world, { key: purse.key, max: 15, directive: 'tokens=15' });
    await world.settled();
    expect(await purse.funds()).toMatchObject({ credits: 0n, balance: 998_500n });
  });
});

describe('a stream that outgrows what could be held', () => {
  test('is stopped with 40201, charged for what was produced, and Credits end at zero at the lowest', async () => {
    const purse = await openPurse(world, { credits: 5 });
    const directive = 'tag=outgrow tokens=2000 pace=2';
    const answer = await ask(world, { key: purse.key, max: 2000, directive, stream: true });
    expect(answer.text.slice(-500)).toContain('40201');
    expect(answer.text).not.toContain('[DONE]');
    await world.settled();
    const [row] = await world.database.query<{ charge: bigint; shortfall: bigint; output: bigint }>(
      `select c.charge_micro as charge, s.shortfall_micro as shortfall, c.output_text as output
       from calls c join consumptions s using (created_at, call_id) where c.account_id = $1`,
      [purse.accountId],
    );
    const { credits } = await purse.funds();
    const produced = world.simulator.truth.find('outgrow')?.outputTokens ?? 0;
    expect(credits).toBeGreaterThanOrEqual(0n);
    expect(row?.output).toBeGreaterThanOrEqual(50n);
    expect(Number(row?.output)).toBeLessThanOrEqual(produced);
    expect(row?.charge).toBe((row?.output ?? 0n) * 100_000n);
    expect(row?.shortfall).toBe((row?.charge ?? 0n) - (5n * MICRO - credits));
    // What passes between two looks at a tight hold is a matter of some dozen tokens.
    expect(row?.shortfall).toBeLessThan(5n * MICRO);
  });

  test('is not one that used all of it and needs no more: it ends like any other', async () => {
    const purse = await openPurse(world, { credits: 3 });
    // A look at the hold falls between the last token and the end of the stream.
    const directive = 'tokens=30 chunk=1 fault=pause@31:1200';
    const answer = await ask(world, { key: purse.key, max: 30, directive, stream: true });
    expect(answer.text).toContain('"finish_reason":"');
    expect(answer.text).toContain('[DONE]');
    await world.settled();
    expect((await purse.funds()).credits).toBe(0n);
    expect(await paidBy(world, purse.accountId)).toMatchObject([{ taken: 3n * MICRO, shortfall: 0n }]);
  });

  test('gets what others leave free meanwhile', async () => {
    const purse = await openPurse(world, { credits: 30 });
    const other = ask(world, { key: purse.key, max: 200, directive: 'tokens=10 delay=300' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const directive = 'tokens=200 pace=5';
    const answer = await ask(world, { key: purse.key, max: 250, directive, stream: true });
    expect(answer.text).toContain('[DONE]');
    expect((await other).status).toBe(200);
    await world.settled();
    expect((await purse.funds()).credits).toBe(9n * MICRO);
  });

  test('stops at the monthly cap with 40204', async () => {
    const purse = await openPurse(world, { credits: 1000, cap: 0.005 });
    const directive = 'tokens=2000 pace=2';
    const answer = await ask(world, { key: purse.key, max: 2000, directive, stream: true });
    expect(answer.text.slice(-500)).toContain('40204');
    await world.settled();
    expect(await purse.funds()).toMatchObject({ credits: 995n * MICRO, monthSpent: 5_000n });
    const later = await ask(world, { key: purse.key, max: 10, directive: 'tokens=10' });
    expect(later).toMatchObject({ status: 403, code: 40204 });
  });
});

test('an account whose Credits are used up is refused by the very next call, before and after settlement', async () => {
  const purse = await openPurse(world, { credits: 2 });
  await ask(world, { key: purse.key, max: 20, directive: 'tokens=20' });
  const atOnce = await ask(world, { key: purse.key, max: 10, directive: 'tokens=10' });
  expect([40201, 40202]).toContain(atOnce.code);
  await world.settled();
  const settled = await ask(world, { key: purse.key, max: 10, directive: 'tokens=10' });
  expect(settled).toMatchObject({ status: 403, code: 40202 });
});
