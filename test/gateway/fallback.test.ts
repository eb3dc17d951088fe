import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, costOf, creditsOf, PayerWorld, type Wanted } from './payment/payer-world.ts';

let world: PayerWorld;
beforeAll(async () => {
  world = await PayerWorld.start();
});
afterAll(() => world.close());

const RICH = { creditsMicro: 10_000_000_000n };
const CLAUDE_PRICES = [20n, 100n] as const;

function falling(fallbackModel: string | null, wanted: Wanted = {}): Promise<Customer> {
  return world.customer({ ...RICH, ...wanted, patch: { ...wanted.patch, fallbackModel } });
}

const outcomes = (row: Readonly<Record<string, unknown>>): string[] =>
  (row.attempts as { outcome: string }[]).map(({ outcome }) => outcome);

describe('rule S-21: routes of the model are tried one by one, and the first that succeeds serves', () => {
  it('without a request to the fallback model', async () => {
    const customer = await falling('gemini');
    world.fail('gpt-5-2026-08-01', 500);
    const { status, body, row, heard } = await world.ask(customer, { model: 'two-ways' });
    expect([status, body.model]).toEqual([200, 'two-ways']);
    expect(heard.map(({ model }) => model)).toEqual(['gpt-5-2026-08-01', 'claude-sonnet-5']);
    expect(row).toMatchObject({ model_asked: 'two-ways', model_used: 'two-ways' });
  });
});

describe('rule S-26, rule S-27: when all routes fail, the fallback model serves', () => {
  it.each([500, 503, 529, 408, 404, 401, 403, 429])('after %i, a rate limit among them', async (failure) => {
    const customer = await falling('claude');
    world.fail('gpt-4o', failure);
    const { status, headers, body, row, paid, heard } = await world.ask(customer);
    expect(status).toBe(200);
    expect([body.model, headers.get('x-tollgate-model')]).toEqual(['claude', 'claude']);
    expect(headers.get('x-tollgate-attempts')).toBe('2');
    expect(heard.map(({ model }) => model)).toEqual(['gpt-4o', 'claude-sonnet-5']);
    const amount_micro = costOf(heard[1], CLAUDE_PRICES);
    expect(row).toMatchObject({ model_asked: 'gpt', model_used: 'claude', amount_micro, payer: 'credits' });
    expect(outcomes(row)).toEqual([String(failure), 'ok']);
    expect(paid).toBe(creditsOf(amount_micro));
  });

  it('in a stream, where every event names the model that serves', async () => {
    const customer = await falling('claude');
    world.fail('gpt-4o', 500);
    const { text, row, paid, heard } = await world.ask(customer, { body: { stream: true } });
    expect(text).toContain('data: [DONE]');
    expect([...text.matchAll(/"model":"([^"]*)"/g)].every(([, name]) => name === 'claude')).toBe(true);
    expect(row).toMatchObject({ model_used: 'claude', stream: true });
    expect(paid).toBe(creditsOf(costOf(heard[1], CLAUDE_PRICES)));
  });

  it.each([
    ['cannot be reached', 'unreachable', ['connect', 'ok']],
    ['has no route at all', 'routeless', ['ok']],
    ['has no route that is enabled', 'asleep', ['ok']],
  ])('when the model %s', async (_name, model, tried) => {
    const { body, row } = await world.ask(await falling('claude'), { model });
    expect(body.model).toBe('claude');
    expect(outcomes(row)).toEqual(tried);
    expect(row).toMatchObject({ model_asked: model, model_used: 'claude', status: 200 });
  });

  it('when every route of the model is cooling down, and no vendor is asked in vain', async () => {
    const headers = { 'retry-after': '30' };
    world.world.simulator.script({ match: { model: 'gpt-4.1' }, answer: { status: 429, headers } });
    expect((await world.ask(await falling(null), { model: 'closed' })).status).toBe(429);
    const plain = await world.ask(await falling(null), { model: 'closed' });
    expect([plain.status, plain.body.code]).toEqual([503, 50301]);
    const { body, row, heard } = await world.ask(await falling('gemini'), { model: 'closed' });
    expect(body.model).toBe('gemini');
    expect(heard.map(({ model }) => model)).toEqual(['gemini-3-pro']);
    expect(outcomes(row)).toEqual(['ok']);
  });

  it('with a request that is converted from the client’s own bytes', async () => {
    const customer = await falling('gemini');
    world.fail('claude-sonnet-5', 500);
    const { body, row } = await world.ask(customer, {
      model: 'claude',
      path: '/v1/messages',
      headers: { 'anthropic-version': '2023-06-01' },
      body: { max_tokens: 100, system: 'be brief' },
    });
    expect(body).toMatchObject({ type: 'message', model: 'gemini' });
    expect(row).toMatchObject({ protocol_in: 'messages', protocol_out: 'gemini', model_used: 'gemini' });
  });

  it('paid by the payer of that model: a plan that covers only the first leaves it to Credits', async () => {
    const customer = await falling('claude', { plans: ['PLUS'] });
    world.fail('gpt-4o', 500);
    const { row, paid, heard } = await world.ask(customer);
    expect(row).toMatchObject({ payer: 'credits', model_used: 'claude' });
    expect(paid).toBe(creditsOf(costOf(heard[1], CLAUDE_PRICES)));
  });
});

describe('rule S-28: the original error is returned', () => {
  it.each<[string, string | null]>([
    ['none is configured', null],
    ['the fallback is the model itself', 'gpt'],
    ['the fallback is unknown', 'no-such-model'],
    ['the fallback is disabled', 'switched-off'],
    ['the fallback is not admitted', 'for-promax'],
    ['nothing is free for the fallback’s hold', 'golden'],
  ])('when %s', async (_name, fallbackModel) => {
    const customer = await falling(fallbackModel);
    world.fail('gpt-4o', 503);
    const { status, headers, row, paid, heard } = await world.ask(customer);
    expect([status, headers.get('x-tollgate-model')]).toEqual([503, 'gpt']);
    expect(heard).toHaveLength(1);
    expect(row).toMatchObject({ status: 503, error_code: null, verdict: 'failed', charge_micro: 0n });
    expect(paid).toBe(0n);
  });

  it('when the fallback fails too: status and body of the requested model, and no third model', async () => {
    const customer = await falling('claude');
    world.fail('gpt-4o', 503);
    world.fail('claude-sonnet-5', 500);
    const { status, body, headers, row, paid, heard } = await world.ask(customer);
    expect([status, headers.get('x-tollgate-model')]).toEqual([503, 'gpt']);
    expect(body).toMatchObject({ error: { type: expect.not.stringContaining('gateway_error') } });
    expect(heard.map(({ model }) => model)).toEqual(['gpt-4o', 'claude-sonnet-5']);
    expect(outcomes(row)).toEqual(['503', '500']);
    expect([row.charge_micro, paid]).toEqual([0n, 0n]);
  });

  it.each([400, 413, 422])(
    'when the fallback answers %i, because the client did not request that model',
    async (refusal) => {
      const customer = await falling('claude');
      world.fail('gpt-4o', 429);
      world.fail('claude-sonnet-5', refusal);
      const { status, headers, row, paid } = await world.ask(customer);
      expect([status, headers.get('x-tollgate-model')]).toEqual([429, 'gpt']);
      expect(headers.get('retry-after-ms')).toBe('1');
      expect(outcomes(row)).toEqual(['429', String(refusal)]);
      expect([row.charge_micro, paid]).toEqual([0n, 0n]);
    },
  );

  it('when images are limited and only the fallback makes them: the call took none', async () => {
    const limited = await falling('drawer', { policyId: 5 });
    world.fail('gpt-4o', 503);
    const { status, heard } = await world.ask(limited);
    expect([status, heard.map(({ model }) => model)]).toEqual([503, ['gpt-4o']]);
    world.fail('gpt-4o', 503);
    expect((await world.ask(await falling('drawer'))).body.model).toBe('drawer');
    // Who could not be routed has not entered yet, and takes one like any other.
    expect((await world.ask(limited, { model: 'routeless' })).body.model).toBe('drawer');
  });

  it('when the model has no route and the fallback fails: the error of the model', async () => {
    const customer = await falling('claude');
    world.fail('claude-sonnet-5', 500);
    const { status, body, row } = await world.ask(customer, { model: 'routeless' });
    expect([status, body.code]).toEqual([502, 50201]);
    expect(row).toMatchObject({ error_code: 50201, charge_micro: 0n });
    expect(outcomes(row)).toEqual(['500']);
  });

  it('when the fallback has no payer', async () => {
    const patch = { apiBilling: false };
    const customer = await falling('claude', { plans: ['PLUS'], patch });
    world.fail('gpt-4o', 503);
    const { status, row } = await world.ask(customer);
    expect([status, row.payer]).toEqual([503, 'subscription']);
  });
});

describe('no fallback model serves', () => {
  it('a request that the vendor refuses as wrong', async () => {
    const { status, row } = await world.ask(await falling('claude'), { body: { temperature: 99 } });
    expect([status, outcomes(row)]).toEqual([400, ['400']]);
  });

  it('a request that no route of its model can express', async () => {
    const audio = [
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
    ];
    const { body, heard, row } = await world.ask(await falling('gpt'), {
      model: 'claude',
      body: { messages: audio },
    });
    expect(body.code).toBe(40004);
    expect([heard.length, row.attempts]).toEqual([0, []]);
  });

  it.each([
    ['unknown', 'no-such-model', 50201],
    ['disabled', 'switched-off', 50201],
    ['not admitted', 'for-promax', 40203],
  ])('a model that is %s', async (_name, model, code) => {
    const { body, row } = await world.ask(await falling('claude'), { model });
    expect([body.code, row.attempts]).toEqual([code, []]);
  });

  it('a stream that broke after its first byte: what was produced is charged', async () => {
    const { text, row, heard } = await world.ask(await falling('claude'), {
      words: 'tokens=90 cut=35',
      body: { stream: true },
    });
    expect(text).toContain('"code":"50202"');
    expect(heard.map(({ model }) => model)).toEqual(['gpt-4o']);
    expect(row).toMatchObject({ verdict: 'cut-by-upstream', model_used: 'gpt', output_text: 35n });
  });

  it('a call that the account’s own limits refuse', async () => {
    const customer = await falling('claude', { policyId: 2 });
    for (let calls = 0; calls < 2; calls++) await world.ask(customer);
    const { body, heard } = await world.ask(customer);
    expect([body.code, heard.length]).toEqual([42902, 0]);
  });
});

it('a call with a fallback takes one place in the request window, and one slot that is freed', async () => {
  const customer = await falling('claude', { policyId: 2 });
  world.fail('gpt-4o', 500);
  expect((await world.ask(customer)).body.model).toBe('claude');
  expect((await world.ask(customer)).status).toBe(200);
  expect((await world.ask(customer)).body.code).toBe(42902);
});

it('a model is tried to its last route before another one serves, however few retries are left', async () => {
  const customer = await falling('gemini');
  world.fail('gpt-5-2026-08-01', 500, 100);
  const question = { model: 'two-ways', words: 'tokens=40 delay=500' };
  const served = await Promise.all(Array.from({ length: 12 }, () => world.ask(customer, question)));
  expect(served.map(({ body }) => body.model)).toEqual(served.map(() => 'two-ways'));
});

it('a changed preference is in force for the next call', async () => {
  const customer = await falling(null);
  world.fail('gpt-4o', 500, 2);
  expect((await world.ask(customer)).status).toBe(500);
  await world.change(customer, { fallbackModel: 'claude' });
  expect((await world.ask(customer)).body.model).toBe('claude');
});
