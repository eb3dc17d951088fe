import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { costOf, creditsOf, PayerWorld, type Wanted } from './payer-world.ts';

let world: PayerWorld;
beforeAll(async () => {
  world = await PayerWorld.start();
});
afterAll(() => world.close());

const OWN = { vendor: 'openai', secret: 'sk-sim-openai-own' };
const RICH = { creditsMicro: 1_000_000_000n };

describe('the payer, in the order of rule S-17', () => {
  it('is BYOK before everything else', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PRO'], hosts: [OWN] });
    const { row, paid, heard } = await world.ask(customer);
    expect(heard.map(({ key }) => key)).toEqual([OWN.secret]);
    expect(row).toMatchObject({ payer: 'byok', charge_micro: 0n, amount_micro: 0n, free_reason: 'byok' });
    expect(paid).toBe(0n);
  });

  it('is the subscription before Credits', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PRO'] });
    const { row, paid, heard } = await world.ask(customer);
    expect(heard.map(({ key }) => key)).toEqual(['sk-sim-openai-platform']);
    const amount_micro = costOf(heard[0]);
    expect(row).toMatchObject({
      payer: 'subscription',
      amount_micro,
      charge_micro: 0n,
      free_reason: 'covered',
    });
    expect(paid).toBe(0n);
  });

  it('is the wallet without the others, to the micro-unit', async () => {
    const customer = await world.customer(RICH);
    const { row, paid, heard } = await world.ask(customer);
    const amount_micro = costOf(heard[0]);
    expect(row).toMatchObject({ payer: 'credits', amount_micro, charge_micro: creditsOf(amount_micro) });
    expect(paid).toBe(creditsOf(amount_micro));
  });

  it('includes the balance with auto-exchange on: exactly what is missing moves with the charge', async () => {
    const wanted = { creditsMicro: 1_000_000n, balanceMicro: 5_000_000n, autoExchange: true };
    const customer = await world.customer(wanted);
    const { paid, heard } = await world.ask(customer);
    const charge = creditsOf(costOf(heard[0]));
    expect(charge).toBeGreaterThan(wanted.creditsMicro);
    expect(paid).toBe(charge);
    const [funds] = await world.world.database.query<Record<string, bigint>>(
      'select credits_micro, balance_micro from accounts where id = $1',
      [customer.id],
    );
    const bought = (charge - wanted.creditsMicro + 999n) / 1000n;
    expect(funds?.balance_micro).toBe(wanted.balanceMicro - bought);
    expect(funds?.credits_micro).toBe(wanted.creditsMicro + bought * 1000n - charge);
  });
});

describe('a switch that changes while a call runs', () => {
  it.each([
    ['auto-exchange', { autoExchange: false }],
    ['API billing', { apiBilling: false }],
  ] as const)('is in force for the next one: the running call is paid without %s', async (_name, patch) => {
    const wanted = { balanceMicro: 5_000_000n, autoExchange: true };
    const customer = await world.customer(wanted);
    const running = world.ask(customer, { words: 'tokens=40 delay=1500' });
    await expect.poll(() => world.world.simulator.stats.open).toBe(1);
    await world.change(customer, patch);
    expect((await world.ask(customer)).status).toBe(403);
    const { status, row, paid, heard } = await running;
    expect([status, paid]).toEqual([200, creditsOf(costOf(heard[0]))]);
    expect(row.charge_micro).toBe(paid);
  });
});

describe('a call without a payer is 40202', () => {
  it.each<[string, Wanted]>([
    ['there are no Credits', {}],
    ['API billing is off', { ...RICH, patch: { apiBilling: false } }],
    ['the plan does not cover the model', { plans: ['PLUS'] }],
    [
      'the own credential is another vendor’s',
      { hosts: [{ vendor: 'google', secret: 'sk-sim-google-own' }] },
    ],
  ])('because %s', async (_name, wanted) => {
    const { status, body, row, heard, paid } = await world.ask(await world.customer(wanted), {
      model: 'claude',
    });
    expect([status, body.code]).toEqual([403, 40202]);
    expect(body.message).not.toContain('Verify');
    expect(row).toMatchObject({ payer: 'none', charge_micro: 0n, verdict: 'refused', attempts: [] });
    expect([heard.length, paid]).toEqual([0, undefined]);
  });

  it('with a link to free quota, when the account is not verified', async () => {
    const { body } = await world.ask(await world.customer({ patch: { userType: 0 } }));
    expect(body).toMatchObject({ code: 40202, message: expect.stringContaining('Verify your account') });
  });

  it('but subscription and BYOK still pay with API billing off', async () => {
    const patch = { apiBilling: false };
    const subscribed = await world.ask(await world.customer({ ...RICH, patch, plans: ['PRO'] }));
    const byokContext = await world.ask(await world.customer({ ...RICH, patch, hosts: [OWN] }));
    expect([subscribed.row.payer, byokContext.row.payer]).toEqual(['subscription', 'byok']);
  });
});

it('an account with balance and auto-exchange off gets 40201 with the remedy', async () => {
  const customer = await world.customer({ balanceMicro: 1_000_000n });
  const { status, body, heard } = await world.ask(customer);
  expect([status, body.code, heard.length]).toEqual([403, 40201, 0]);
  expect(body.message).toContain('switch auto-exchange on');
});

describe('the monthly cap', () => {
  it('is a hard limit for Credits, and counts neither covered nor BYOK calls', async () => {
    const patch = { extraApiQuotaMicro: 1_000n };
    const covered = await world.customer({ ...RICH, patch, plans: ['PRO'] });
    const byokContext = await world.customer({ ...RICH, patch, hosts: [OWN] });
    for (const customer of [covered, byokContext]) {
      for (let calls = 0; calls < 2; calls++) expect((await world.ask(customer)).status).toBe(200);
      const [spent] = await world.world.database.query<Record<string, bigint>>(
        'select month_spent_micro from accounts where id = $1',
        [customer.id],
      );
      expect(spent?.month_spent_micro).toBe(0n);
    }
    const payer = await world.customer({ ...RICH, patch: { extraApiQuotaMicro: 10_000n } });
    const codes: unknown[] = [];
    let paidMicro = 0n;
    for (let calls = 0; calls < 6; calls++) {
      const { body, paid } = await world.ask(payer);
      codes.push(body.code);
      paidMicro += BigInt(String(paid ?? 0));
    }
    expect(codes.at(-1)).toBe(40204);
    expect(paidMicro).toBeLessThanOrEqual(10_000_000n);
    expect(paidMicro).toBeGreaterThan(1_000_000n);
  });
});

describe('an amount window in the key’s policy', () => {
  it.each<[string, Wanted]>([
    ['the subscription', { plans: ['PROMAX'] }],
    ['the wallet', RICH],
  ])('limits what %s pays, and is named', async (_name, wanted) => {
    const { status, headers, body } = await world.ask(await world.customer({ ...wanted, policyId: 4 }));
    expect([status, body.code]).toEqual([429, 42902]);
    expect(headers.get('x-tollgate-limit')).toMatch(/^amount; limit=0; used=0; window=3600/);
  });

  it('does not limit BYOK calls', async () => {
    const customer = await world.customer({ ...RICH, policyId: 4, hosts: [OWN] });
    expect((await world.ask(customer)).status).toBe(200);
  });

  it('stops a stream that exceeds it with 42902, and what was delivered is charged', async () => {
    const customer = await world.customer({ ...RICH, policyId: 3 });
    const { status, text, row, paid, heard } = await world.ask(customer, {
      words: 'tokens=3000 chunk=20 pace=2',
      body: { stream: true },
    });
    expect(status).toBe(200);
    expect(text.trim().slice(-30)).toContain('"code":"42902"');
    expect(row).toMatchObject({ verdict: 'cut-by-gateway', error_code: 42902, payer: 'credits' });
    expect(heard[0]?.finished).toBe('aborted-by-client');
    expect(row.charge_micro).toBeGreaterThan(18_000_000n);
    expect(row.charge_micro).toBeLessThanOrEqual(20_000_000n);
    expect(row.charge_micro).toBeLessThanOrEqual(creditsOf(costOf(heard[0])));
    expect(paid).toBe(row.charge_micro);
    const next = await world.ask(customer);
    expect(next.body.code).toBe(42902);
    expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });
});
