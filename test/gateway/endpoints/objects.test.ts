import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENDPOINT_ROWS, type EndpointRow } from '../../../src/gateway/endpoints/contract.ts';
import { startWorld, type World } from '../../support/world.ts';

/** What holds for every endpoint that is no call, whatever it is about: generated from the rows. */

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** In the catalogue of the world: two requests a minute. */
const TWO_A_MINUTE = 3;
const OBJECTS = ENDPOINT_ROWS.filter(([, { call, counts }]) => call === undefined && counts === undefined);
const LIMITED = OBJECTS.filter(([, row]) => !row.isUnlimited);
const UNLIMITED = OBJECTS.filter(([, row]) => row.isUnlimited);
const PAID = OBJECTS.filter(([, { pays }]) => pays === 'payer');

async function ask({ method, path, hasBody }: EndpointRow, key: string, more: RequestInit = {}) {
  const place = path.replace('{model}', 'gpt-5').replaceAll(/\{\w+\}/g, 'absent');
  const body = hasBody ? { body: '{}' } : {};
  const answer = await fetch(world.url + place, { method, headers: world.headers(key), ...body, ...more });
  const text = await answer.text();
  return { status: answer.status, limit: answer.headers.get('x-tollgate-limit'), text };
}

test.each(LIMITED)('%s counts in windows of its own, and uses up no calls', async (_id, row) => {
  const key = await world.newKey('user@example.com', { policyId: TWO_A_MINUTE });
  const statuses = [await ask(row, key), await ask(row, key)].map(({ status }) => status);
  expect(statuses).not.toContain(429);
  const third = await ask(row, key);
  expect(third).toMatchObject({
    status: 429,
    limit: expect.stringMatching(/^requests; limit=2; used=2; .*scope=ask$/),
  });
  expect(JSON.parse(third.text)).toMatchObject({ code: 42902 });
  const body = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] };
  const call = await world.post('/v1/chat/completions', body, world.headers(key));
  expect(call.status).toBe(200);
  await call.text();
});

test.each(UNLIMITED)('%s is limited by nothing: clients test a key with it', async (_id, row) => {
  const key = await world.newKey('user@example.com', { policyId: TWO_A_MINUTE });
  for (let times = 0; times < 5; times++) expect((await ask(row, key)).status).toBe(200);
});

test.each(OBJECTS)('%s asks for a key before anything else', async (_id, row) => {
  const { status, text } = await ask(row, 'no-key');
  expect([status, JSON.parse(text).code ?? JSON.parse(text).error.code]).toEqual([401, 40101]);
});

test.each(PAID)('%s is refused to an account that cannot pay, before its body', async (_id, row) => {
  const key = await world.newKey('poor@example.com');
  await world.database.query(
    "update accounts set credits_micro = 0, balance_micro = 0 where email = 'poor@example.com'",
  );
  const { status } = await ask(row, key);
  expect(status).toBe(403);
});

test('every request is counted by its endpoint and its status', async () => {
  const [one] = LIMITED;
  await ask(one?.[1] as EndpointRow, 'no-key');
  const figures = await world.figures();
  expect(figures).toMatch(
    new RegExp(`^tollgate_endpoint_requests_total\\{endpoint="${one?.[0]}",status="401"\\} \\d`, 'm'),
  );
});

const FILES = OBJECTS.filter(([, { path }]) => path.startsWith('/v1/files'));

test.each(FILES)(
  '%s refuses clients of Anthropic in their form, because its files have another one',
  async (_id, row) => {
    const headers = { ...world.headers(), 'anthropic-version': '2023-06-01' };
    const { status, text } = await ask(row, world.key, { headers });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      type: 'error',
      code: 40004,
      error: {
        type: 'invalid_request_error',
        message: expect.stringContaining('files of Anthropic are not served'),
      },
    });
  },
);
