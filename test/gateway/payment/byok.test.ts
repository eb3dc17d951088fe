import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AddByokResult, costOf, creditsOf, PayerWorld } from './payer-world.ts';

/** A vendor's address that is not the catalogue's; it counts who comes, and hears with which headers. */
interface OwnVendor {
  readonly url: string;
  readonly heard: IncomingHttpHeaders[];
  connections: number;
  close(): void;
}

async function startOwnVendor(): Promise<OwnVendor> {
  const heard: IncomingHttpHeaders[] = [];
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'mine' }, finish_reason: 'stop' }];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices, usage }));
  });
  const own: OwnVendor = { url: '', heard, connections: 0, close: () => server.close() };
  server.on('connection', () => {
    own.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(own, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
}

let world: PayerWorld;
let allowed: OwnVendor;
let forbidden: OwnVendor;
beforeAll(async () => {
  [allowed, forbidden] = await Promise.all([startOwnVendor(), startOwnVendor()]);
  world = await PayerWorld.start({ TOLLGATE_BYOK_HOSTS: new URL(allowed.url).host });
});
afterAll(async () => {
  await world.close();
  allowed.close();
  forbidden.close();
});

const RICH = { creditsMicro: 1_000_000_000n };
const own = (name: string): AddByokResult => ({ vendor: 'openai', secret: `sk-sim-openai-${name}` });
const WRONG: AddByokResult = { vendor: 'openai', secret: 'sk-of-nobody' };
const tried = (row: Readonly<Record<string, unknown>>): unknown[] =>
  (row.attempts as { credential: string; outcome: string }[]).map(({ credential, outcome }) => [
    credential,
    outcome,
  ]);

describe('a BYOK call', () => {
  it.each([
    ['plain', {}],
    ['streamed', { stream: true }],
  ])('is metered and logged, and never charged: %s', async (_name, body) => {
    const customer = await world.customer({ hosts: [own('metered')] });
    const { row, paid, heard } = await world.ask(customer, { body });
    const [truth] = heard;
    expect(truth?.key).toBe('sk-sim-openai-metered');
    expect(row).toMatchObject({
      payer: 'byok',
      input_fresh: BigInt(truth?.inputTokens ?? 0),
      output_text: 40n,
      amount_micro: 0n,
      charge_micro: 0n,
      held_micro: 0n,
      free_reason: 'byok',
      verdict: 'complete',
    });
    expect(paid).toBe(0n);
  });

  it('is converted like any other', async () => {
    const customer = await world.customer({ hosts: [own('converted')] });
    const { body, row, heard } = await world.ask(customer, {
      path: '/v1/messages',
      headers: { 'anthropic-version': '2023-06-01' },
      body: { max_tokens: 100 },
    });
    expect(body).toMatchObject({ type: 'message', model: 'gpt' });
    expect([row.payer, row.protocol_out, heard[0]?.key]).toEqual(['byok', 'chat', 'sk-sim-openai-converted']);
  });

  it('counts in the request windows', async () => {
    const customer = await world.customer({ hosts: [own('limited')], policyId: 2 });
    for (let calls = 0; calls < 2; calls++) expect((await world.ask(customer)).status).toBe(200);
    expect((await world.ask(customer)).body.code).toBe(42902);
  });

  it('is admitted like any other', async () => {
    const hosts = [{ vendor: 'anthropic', secret: 'sk-sim-anthropic-own' }];
    const { body } = await world.ask(await world.customer({ hosts }), { model: 'for-promax' });
    expect(body.code).toBe(40203);
  });

  it('carries the client’s Idempotency-Key, which the platform’s own never does', async () => {
    const headers = { 'idempotency-key': 'mine-1' };
    const byokContext = await world.ask(await world.customer({ hosts: [own('idem')] }), { headers });
    const paying = await world.ask(await world.customer(RICH), { headers });
    expect(byokContext.heard[0]?.headers['idempotency-key']).toBe('mine-1');
    expect(paying.heard[0]?.headerNames).not.toContain('idempotency-key');
  });

  it('is served where the platform’s own credential is disabled', async () => {
    const { status, row } = await world.ask(await world.customer({ hosts: [own('awake')] }), {
      model: 'asleep',
    });
    expect([status, row.payer]).toEqual([200, 'byok']);
  });

  it('is not made where the vendor does not allow BYOK: the platform serves and charges', async () => {
    const { row } = await world.ask(await world.customer({ ...RICH, hosts: [own('x')] }), {
      model: 'closed',
    });
    expect(row.payer).toBe('credits');
  });
});

describe('a BYOK credential that fails', () => {
  it('is followed by the next BYOK credential', async () => {
    const customer = await world.customer({ hosts: [WRONG, own('second')] });
    for (let calls = 0; calls < 4; calls++) {
      const { status, row, heard } = await world.ask(customer);
      expect([status, row.payer, heard.at(-1)?.key]).toEqual([200, 'byok', 'sk-sim-openai-second']);
    }
  });

  it('is answered with the vendor’s own error about the key, without a surprising charge', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PRO'], hosts: [WRONG] });
    const { status, body, row, paid } = await world.ask(customer);
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: 'invalid_api_key', type: 'invalid_request_error' } });
    expect(tried(row)).toEqual([['sk-of-nobody', '401']]);
    expect(row).toMatchObject({ payer: 'byok', error_code: null, charge_micro: 0n, verdict: 'failed' });
    expect(paid).toBe(0n);
  });

  it('is answered with Google’s own 400 about the key', async () => {
    const customer = await world.customer({
      ...RICH,
      hosts: [{ vendor: 'google', secret: 'not-a-google-key' }],
    });
    const { status, text, row } = await world.ask(customer, {
      model: 'gemini',
      path: '/v1beta/models/gemini:generateContent',
      body: { model: undefined, messages: undefined, contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    });
    expect(status).toBe(400);
    expect(text).toContain('API_KEY_INVALID');
    expect(row).toMatchObject({ status: 400, payer: 'byok', charge_micro: 0n });
  });

  it.each([429, 500, 503])('with %i is answered with it, and no platform route is asked', async (status) => {
    const customer = await world.customer({ ...RICH, hosts: [own(`failing-${status}`)] });
    world.fail('gpt-4o', status);
    const { row, heard, ...answer } = await world.ask(customer);
    expect(answer.status).toBe(status);
    expect(heard.map(({ key }) => key)).toEqual([`sk-sim-openai-failing-${status}`]);
    expect(row).toMatchObject({ payer: 'byok', charge_micro: 0n });
  });

  it('does not affect the platform’s route, however often', async () => {
    const customer = await world.customer({ hosts: [WRONG] });
    for (let calls = 0; calls < 6; calls++) expect((await world.ask(customer)).status).toBe(401);
    const figures = await world.world.figures();
    expect(/^tollgate_credentials_unhealthy 0$/m.test(figures)).toBe(true);
    const { status, row } = await world.ask(await world.customer(RICH));
    expect([status, tried(row)]).toEqual([200, [['openai-main', 'ok']]]);
  });
});

describe('byok_fallback', () => {
  const patch = { byokFallback: true };

  it.each([
    ['a key that is refused', WRONG, '401'],
    ['a vendor that fails', own('falling'), '500'],
  ])('lets the platform serve after %s, and charge it', async (_name, byok, outcome) => {
    const customer = await world.customer({ ...RICH, patch, hosts: [byok] });
    if (outcome === '500') world.fail('gpt-4o', 500);
    const { status, headers, row, paid, heard } = await world.ask(customer);
    expect([status, headers.get('x-tollgate-attempts')]).toEqual([200, '2']);
    expect(tried(row)).toEqual([
      [byok.secret, outcome],
      ['openai-main', 'ok'],
    ]);
    const amount_micro = costOf(heard.at(-1));
    expect(row).toMatchObject({ payer: 'credits', amount_micro, charge_micro: creditsOf(amount_micro) });
    expect(paid).toBe(creditsOf(amount_micro));
  });

  it('charges nothing when another BYOK credential works, however few retries are left', async () => {
    const customer = await world.customer({ ...RICH, patch, hosts: [WRONG, own('good')] });
    const question = { words: 'tokens=40 delay=500' };
    const served = await Promise.all(Array.from({ length: 12 }, () => world.ask(customer, question)));
    expect(served.map(({ row }) => row.payer)).toEqual(served.map(() => 'byok'));
  });

  it('lets the subscription pay, where there is one', async () => {
    const { row } = await world.ask(await world.customer({ patch, plans: ['PRO'], hosts: [WRONG] }));
    expect(row).toMatchObject({ payer: 'subscription', free_reason: 'covered' });
    expect(row.amount_micro).toBeGreaterThan(0n);
  });

  it.each([
    ['nobody can pay', {}],
    ['the wallet does not pay for the input and one Credit more', { creditsMicro: 100n }],
  ])('changes nothing when %s: the error of the BYOK credential is the answer', async (_name, money) => {
    const { status, row } = await world.ask(await world.customer({ ...money, patch, hosts: [WRONG] }));
    expect([status, tried(row)]).toEqual([401, [['sk-of-nobody', '401']]]);
  });

  it('that is off still allows the fallback model, by BYOK credentials or else by the platform', async () => {
    const falls = { fallbackModel: 'claude' };
    const alone = await world.ask(await world.customer({ ...RICH, patch: falls, hosts: [WRONG] }));
    expect([alone.status, alone.body.model, alone.row.payer]).toEqual([200, 'claude', 'credits']);
    const hosts = [WRONG, { vendor: 'anthropic', secret: 'sk-sim-anthropic-mine' }];
    const both = await world.ask(await world.customer({ ...RICH, patch: falls, hosts }));
    expect([both.body.model, both.row.payer, both.paid]).toEqual(['claude', 'byok', 0n]);
  });

  it('that is on lets the platform serve the model, and when it fails too the fallback model', async () => {
    const falls = { ...patch, fallbackModel: 'claude' };
    const customer = await world.customer({ ...RICH, patch: falls, hosts: [WRONG] });
    world.fail('gpt-4o', 500);
    const { body, row } = await world.ask(customer);
    expect([body.model, row.payer]).toEqual(['claude', 'credits']);
    expect(tried(row)).toEqual([
      ['sk-of-nobody', '401'],
      ['openai-main', '500'],
      ['anthropic-main', 'ok'],
    ]);
    const attempts = row.attempts as readonly { own?: true }[];
    expect(attempts.map(({ own }) => own)).toEqual([true, undefined, undefined]);
  });
});

describe('a BYOK credential with an address of its own', () => {
  it('is called there, with its own secret and no other', async () => {
    const hosts = [{ vendor: 'openai', secret: 'sk-mine-alone', baseUrl: allowed.url }];
    const { body, row, heard } = await world.ask(await world.customer({ ...RICH, hosts }));
    expect(body).toMatchObject({ model: 'gpt', choices: [{ message: { content: 'mine' } }] });
    expect(allowed.heard.map(({ authorization }) => authorization)).toEqual(['Bearer sk-mine-alone']);
    expect(row).toMatchObject({ payer: 'byok', input_fresh: 7n, output_text: 5n, charge_micro: 0n });
    expect(heard).toEqual([]);
  });

  it('in a private network is not connected to, unless the operator allows the host', async () => {
    const hosts = [{ vendor: 'openai', secret: 'sk-mine-alone', baseUrl: forbidden.url }];
    const { status, body, row } = await world.ask(await world.customer({ ...RICH, hosts }));
    expect([status, body.code]).toEqual([502, 50202]);
    expect(tried(row)).toEqual([['sk-mine-alone', 'connect']]);
    expect(forbidden.connections).toBe(0);
  });

  it('never receives a secret of the platform, also when the platform serves after it', async () => {
    const hosts = [{ vendor: 'openai', secret: 'sk-mine-alone', baseUrl: `${allowed.url}/nothing` }];
    const before = allowed.heard.length;
    const patch = { byokFallback: true, fallbackModel: 'claude' };
    await world.ask(await world.customer({ ...RICH, hosts, patch }));
    const said = JSON.stringify(allowed.heard.slice(before));
    expect(allowed.heard.length).toBeGreaterThan(before);
    expect(said).not.toContain('sk-sim-');
  });
});
