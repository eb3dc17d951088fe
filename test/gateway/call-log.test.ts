import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { type LoggedCall, loggedCall, paidCredits } from './logged-call.ts';

let world: World;
beforeAll(async () => {
  // A second route behind the first one shows what the log says of more than one attempt.
  const catalog = STANDARD_CATALOG.replace('\nmodels:\n', `\nmodels:\n${TWO_ROUTES}`).replace(
    '\ncredentials:\n',
    '\ncredentials:\n  - { name: openai-second, vendor: openai, secret: sk-sim-openai-second }\n',
  );
  world = await startWorld({ catalog });
});
afterAll(() => world.close());

const TWO_ROUTES = `  - model_id: two-routes
    name: Two routes
    prices: { input: "10", output: "30" }
    routes:
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4o, priority: 1, protocols: [chat] }
      - { vendor: openai, credential: openai-second, forward_model_id: gpt-4o, priority: 2, protocols: [chat] }
`;

const CHAT = '/v1/chat/completions';
const NOTHING_USED = {
  input_fresh: 0n,
  cache_read: 0n,
  cache_write: 0n,
  output_text: 0n,
  output_reasoning: 0n,
  images: 0n,
  amount_micro: 0n,
  charge_micro: 0n,
};

const ask = (content: string, more = {}) => ({
  model: 'gpt-5',
  messages: [{ role: 'user', content }],
  ...more,
});

/** The columns that every row has in common, whatever came of the call. */
function expectFrame(row: LoggedCall, requestId: string | null, before: number): void {
  expect(row).toMatchObject({ call_id: requestId, key_name: 'test', protocol_in: 'chat', videos: 0n });
  expect(row.dropped_fields).toEqual([]);
  const createdAt = row.created_at as Date;
  expect(createdAt.getTime()).toBeGreaterThanOrEqual(before);
  expect(createdAt.getTime()).toBeLessThanOrEqual(Date.now());
  expect(row.duration_ms).toBeGreaterThanOrEqual(0);
}

describe('the row of a call in the log', () => {
  it('that succeeded has the model, the route, the attempt, the price, the times and the hold', async () => {
    const before = Date.now();
    const response = await world.post(CHAT, ask('[[sim tokens=40 delay=30]]'));
    await response.text();
    const requestId = response.headers.get('x-request-id');
    const row = await loggedCall(world, requestId);
    expectFrame(row, requestId, before);
    expect(row).toMatchObject({
      model_asked: 'gpt-5',
      model_used: 'gpt-5',
      vendor: 'openai',
      protocol_out: 'chat',
      stream: false,
      status: 200,
      error_code: null,
      output_text: 40n,
      estimated: false,
      payer: 'credits',
      free_reason: null,
      verdict: 'complete',
      attempts: [{ vendor: 'openai', credential: 'openai-main', outcome: 'ok' }],
    });
    expect(String(row.route_id)).toBe(response.headers.get('x-tollgate-route'));
    // The price of that moment: later changes of the catalogue do not reach it.
    expect(row.price).toMatchObject({ prices: { inputMicro: '10000000', outputMicro: '30000000' } });
    expect(row.held_micro).toBeGreaterThanOrEqual(row.charge_micro as bigint);
    expect(row.ttfb_ms).toBeGreaterThanOrEqual(30);
    expect(row.duration_ms).toBeGreaterThanOrEqual(row.ttfb_ms as number);
    expect(await paidCredits(world, requestId)).toBe(row.charge_micro);
  });

  it('that streamed has the flag, and its first byte came before its end', async () => {
    const response = await world.post(CHAT, ask('[[sim tokens=10 pace=20]]', { stream: true }));
    await response.text();
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row).toMatchObject({ stream: true, status: 200, verdict: 'complete', output_text: 10n });
    expect(row.duration_ms).toBeGreaterThan((row.ttfb_ms as number) + 100);
  });

  it('with a second attempt names both routes, in order, and charges the one that answered', async () => {
    const tag = 'log-second';
    world.simulator.script({ match: { tag }, times: 1, answer: { status: 503 } });
    const body = { ...ask(`[[sim tag=${tag} tokens=40]]`), model: 'two-routes' };
    const response = await world.post(CHAT, body);
    expect(response.headers.get('x-tollgate-attempts')).toBe('2');
    await response.text();
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row).toMatchObject({
      status: 200,
      verdict: 'complete',
      attempts: [
        { credential: 'openai-main', outcome: '503' },
        { credential: 'openai-second', outcome: 'ok' },
      ],
    });
    expect(String(row.route_id)).toBe(response.headers.get('x-tollgate-route'));
    expect(world.simulator.truth.list(tag).map(({ status }) => status)).toEqual([503, 200]);
  });

  it('that was refused has its code and nothing used, held, tried or charged', async () => {
    const before = Date.now();
    const response = await world.post(CHAT, { ...ask('hello'), model: 'plan-only' });
    const requestId = response.headers.get('x-request-id');
    const row = await loggedCall(world, requestId);
    expectFrame(row, requestId, before);
    expect(row).toMatchObject({
      ...NOTHING_USED,
      model_asked: 'plan-only',
      route_id: null,
      vendor: null,
      protocol_out: null,
      status: 403,
      error_code: 40203,
      price: null,
      free_reason: 'nothing-produced',
      verdict: 'refused',
      attempts: [],
      held_micro: 0n,
      ttfb_ms: null,
    });
  });

  it('whose body was refused exists, because the key was valid', async () => {
    const response = await world.post(CHAT, '{"model":');
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row).toMatchObject({ ...NOTHING_USED, status: 400, error_code: 40002, verdict: 'refused' });
  });

  it('without a valid key does not exist', async () => {
    const response = await world.post(CHAT, ask('hello'), { authorization: 'Bearer sk-garbage' });
    const requestId = response.headers.get('x-request-id');
    await expect(loggedCall(world, requestId)).rejects.toThrow(/^0 rows/);
  });

  it('with a vendor’s own error has its status, no code of the gateway, and no charge', async () => {
    const response = await world.post(CHAT, ask('hello', { temperature: 0.2 }));
    expect(response.status).toBe(400);
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row).toMatchObject({
      ...NOTHING_USED,
      status: 400,
      error_code: null,
      vendor: 'openai',
      verdict: 'failed',
      free_reason: 'nothing-produced',
      attempts: [{ outcome: '400' }],
    });
    expect(await paidCredits(world, response.headers.get('x-request-id'))).toBe(0n);
  });

  it('with a broken vendor has the code of the gateway and what happened', async () => {
    const response = await world.post(CHAT, ask('[[sim fault=reset-early]]'));
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    expect(row).toMatchObject({ ...NOTHING_USED, status: 502, error_code: 50202, verdict: 'failed' });
    expect(row.attempts).toHaveLength(1);
  });

  it('with a stream that the vendor cut charges what was produced', async () => {
    const tag = 'log-cut';
    const response = await world.post(CHAT, ask(`[[sim tag=${tag} tokens=90 cut=40]]`, { stream: true }));
    await expect(response.text()).rejects.toThrow();
    const requestId = response.headers.get('x-request-id');
    const row = await loggedCall(world, requestId);
    expect(world.simulator.truth.find(tag)?.outputTokens).toBe(40);
    expect(row).toMatchObject({
      stream: true,
      status: 200,
      error_code: 50202,
      output_text: 40n,
      estimated: true,
      verdict: 'cut-by-upstream',
      attempts: [{ outcome: 'cut-by-upstream' }],
    });
    expect(await paidCredits(world, requestId)).toBe(row.charge_micro);
    expect(row.charge_micro).toBeGreaterThan(0n);
  });
});

/** Of a model that does not reason: others are read on for their usage. */
describe('the row of a call whose client left', () => {
  it('in a stream charges what was produced by then, and the vendor was stopped', async () => {
    const tag = 'log-left';
    const abort = new AbortController();
    const response = await fetch(world.url + CHAT, {
      method: 'POST',
      headers: world.headers(),
      body: JSON.stringify(
        ask(`[[sim tag=${tag} tokens=400 pace=10]]`, { model: 'two-routes', stream: true }),
      ),
      signal: abort.signal,
    });
    let seen = 0;
    for await (const chunk of response.body ?? []) {
      seen +=
        Buffer.from(chunk)
          .toString()
          .match(/"delta":\{"content":" ?\w/g)?.length ?? 0;
      if (seen >= 40) break;
    }
    abort.abort();
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    const truth = world.simulator.truth.find(tag);
    expect(row).toMatchObject({
      status: 200,
      error_code: null,
      estimated: true,
      verdict: 'cut-by-client',
      attempts: [{ outcome: 'cut-by-client' }],
    });
    expect(row.output_text).toBeGreaterThanOrEqual(BigInt(seen));
    expect(row.output_text).toBeLessThanOrEqual(BigInt(truth?.outputTokens ?? 0));
    expect(truth?.finished).toBe('aborted-by-client');
    expect(truth?.outputTokens).toBeLessThan(200);
    expect(row.charge_micro).toBeGreaterThan(0n);
  });

  it.each([
    { when: 'before a stream began', stream: true, charged: 'nothing' },
    { when: 'while a plain answer was made', stream: false, charged: 'its input' },
  ])('$when has status 499 and is charged $charged', async ({ stream }) => {
    const tag = `log-early-${stream}`;
    const abort = new AbortController();
    const call = fetch(world.url + CHAT, {
      method: 'POST',
      headers: world.headers(),
      body: JSON.stringify(
        ask(`${'word '.repeat(300)}[[sim tag=${tag} delay=5000]]`, { model: 'two-routes', stream }),
      ),
      signal: abort.signal,
    });
    await expect.poll(() => world.simulator.truth.find(tag)).toBeDefined();
    abort.abort();
    await expect(call).rejects.toThrow();
    await world.settled();
    const rows = await world.database.query<LoggedCall>(
      'select * from calls where status = 499 and stream = $1',
      [stream],
    );
    const [row] = rows;
    expect(rows).toHaveLength(1);
    expect(row).toMatchObject({ output_text: 0n, error_code: null, verdict: 'cut-by-client' });
    expect(row?.attempts).toMatchObject([{ outcome: 'cut-by-client' }]);
    if (stream) {
      expect(row).toMatchObject({ ...NOTHING_USED, estimated: false });
      return;
    }
    expect(row).toMatchObject({ estimated: true, free_reason: null });
    expect(row?.input_fresh).toBeGreaterThan(300n);
    expect(await paidCredits(world, String(row?.call_id))).toBe(row?.charge_micro);
    expect(row?.charge_micro).toBeGreaterThan(3_000_000n);
  });
});
