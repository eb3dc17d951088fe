import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelSubscription } from '../../../src/store/accounts/subscriptions.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import { costOf, creditsOf, PayerWorld } from './payer-world.ts';

let world: PayerWorld;
beforeAll(async () => {
  world = await PayerWorld.start();
});
afterAll(() => world.close());

const RICH = { creditsMicro: 1_000_000_000n };
const PICTURE = { path: '/v1/images/generations', model: 'painter' };
const HOUR_MS = 3_600_000;

describe('a valid subscription', () => {
  it('covers up to its windows, then API billing pays, call by call', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PLUS'] });
    const payers: unknown[] = [];
    let coveredMicro = 0n;
    for (let calls = 0; calls < 4; calls++) {
      const { status, row, paid, heard } = await world.ask(customer, { words: 'tokens=320' });
      expect(status).toBe(200);
      const amount_micro = costOf(heard[0]);
      const covered = row.payer === 'subscription';
      expect(row).toMatchObject({ amount_micro, charge_micro: covered ? 0n : creditsOf(amount_micro) });
      expect(paid).toBe(covered ? 0n : creditsOf(amount_micro));
      if (covered) coveredMicro += amount_micro;
      payers.push(row.payer);
    }
    expect(payers).toEqual(['subscription', 'subscription', 'credits', 'credits']);
    // What two calls leave does not pay for the input of a third and one Credit more.
    expect(20_000n - coveredMicro).toBeLessThan(1_000n);
  });

  it('that is used up is 42902 with the wait of its window, without API billing', async () => {
    const customer = await world.customer({ plans: ['PROMAX'] });
    for (let pictures = 0; pictures < 3; pictures++) {
      const { row, status } = await world.ask(customer, PICTURE);
      expect([status, row.payer, row.amount_micro]).toEqual([200, 'subscription', 300_000n]);
    }
    const { status, body, headers, row, heard } = await world.ask(customer, PICTURE);
    expect([status, body.code]).toEqual([429, 42902]);
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeGreaterThan(30);
    expect(wait).toBeLessThanOrEqual(60);
    const told = `coverage; limit=900000; used=900000; window=60; reset=${wait}; scope=subscription`;
    expect(headers.get('x-tollgate-limit')).toBe(told);
    expect(row).toMatchObject({ verdict: 'refused', payer: 'none', charge_micro: 0n });
    expect(heard).toEqual([]);
  });

  it('covers exactly what fits, for any number of simultaneous calls', async () => {
    const customer = await world.customer({ plans: ['PROMAX'] });
    const asked = Array.from({ length: 20 }, () => world.ask(customer, { ...PICTURE, words: 'delay=50' }));
    const served = await Promise.all(asked);
    expect(served.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(new Set(served.map(({ body }) => body.code))).toEqual(new Set([undefined, 42902]));
  });

  it('stops a stream that exceeds it with 42902; it is covered, not charged', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PLUS'] });
    const { status, text, row, paid, heard } = await world.ask(customer, {
      words: 'tokens=3000 chunk=20 pace=2',
      body: { stream: true },
    });
    expect(status).toBe(200);
    expect(text.trim().slice(-30)).toContain('"code":"42902"');
    expect(row).toMatchObject({
      verdict: 'cut-by-gateway',
      error_code: 42902,
      payer: 'subscription',
      charge_micro: 0n,
      free_reason: 'covered',
    });
    expect(paid).toBe(0n);
    expect(row.amount_micro).toBeGreaterThan(15_000n);
    expect(row.amount_micro).toBeLessThanOrEqual(costOf(heard[0]));
    expect((await world.ask(customer)).row.payer).toBe('credits');
  });

  it('whose plan does not cover the model admits and limits, and leaves the payment to Credits', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PLUS'] });
    const { row, heard } = await world.ask(customer, { model: 'for-plus' });
    expect(row).toMatchObject({ payer: 'credits', charge_micro: creditsOf(costOf(heard[0])) });
    const stranger = await world.ask(await world.customer(RICH), { model: 'for-plus' });
    expect(stranger.body).toMatchObject({ code: 40203, message: expect.stringContaining('PLUS') });
  });

  it('has a policy for all keys of the account, and a key’s policy applies beside it', async () => {
    const tight = await world.customer({ ...RICH, plans: ['PRO'], policyId: 4 });
    const refused = await world.ask(tight);
    expect([refused.body.code, refused.headers.get('x-tollgate-limit')?.slice(-9)]).toEqual([
      42902,
      'scope=key',
    ]);
    const customer = await world.customer({ ...RICH, plans: ['PRO'], policyId: 5 });
    for (let calls = 0; calls < 2; calls++) expect((await world.ask(customer)).status).toBe(200);
    const { body, headers } = await world.ask(customer);
    expect(body.code).toBe(42902);
    expect(headers.get('x-tollgate-limit')).toMatch(/^requests; limit=2; used=2; window=60;/);
  });

  it('of the highest plan counts', async () => {
    const customer = await world.customer({ plans: ['PLUS', 'PROMAX'] });
    const { status, row } = await world.ask(customer, { model: 'for-promax' });
    expect([status, row.payer]).toEqual([200, 'subscription']);
  });
});

describe('a subscription that is not valid', () => {
  it.each([
    ['has ended', [-2 * HOUR_MS, -1_000]],
    ['has not begun', [HOUR_MS, 2 * HOUR_MS]],
  ] as const)('because it %s neither pays nor admits', async (_name, [from, to]) => {
    const customer = await world.customer({ patch: { apiBilling: false } });
    const nowMs = Date.now();
    await world.subscribe(customer.id, 'PROMAX', [nowMs + from, nowMs + to]);
    expect((await world.ask(customer)).body.code).toBe(40202);
    await world.change(customer, { apiBilling: true });
    const rich = await world.customer(RICH);
    await world.subscribe(rich.id, 'PROMAX', [nowMs + from, nowMs + to]);
    expect((await world.ask(rich, { model: 'for-promax' })).body.code).toBe(40203);
    expect((await world.ask(rich)).row.payer).toBe('credits');
  });

  it('because it was cancelled pays nothing from the next call on', async () => {
    const customer = await world.customer({ plans: ['PRO'] });
    expect((await world.ask(customer)).row.payer).toBe('subscription');
    const { database } = world.world;
    const [row] = await database.query<{ id: bigint }>('select id from subscriptions where account_id = $1', [
      customer.id,
    ]);
    expect(await cancelSubscription(database, customer.id, Number(row?.id))).toBe(true);
    await announceAndWait(database);
    expect((await world.ask(customer)).body.code).toBe(40202);
  });

  it('is replaced by a new one with new windows', async () => {
    const customer = await world.customer({ plans: ['PROMAX'] });
    for (let pictures = 0; pictures < 3; pictures++) await world.ask(customer, PICTURE);
    expect((await world.ask(customer, PICTURE)).body.code).toBe(42902);
    const { database } = world.world;
    const [row] = await database.query<{ id: bigint }>('select id from subscriptions where account_id = $1', [
      customer.id,
    ]);
    await cancelSubscription(database, customer.id, Number(row?.id));
    await world.subscribe(customer.id, 'PROMAX', [Date.now() - 1_000, Date.now() + HOUR_MS]);
    expect((await world.ask(customer, PICTURE)).row.payer).toBe('subscription');
  });
});
