import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { accountIdOf, type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;
let userId: number;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
  userId = await accountIdOf(operator, 'user@example.com');
});
afterAll(() => world?.close());

test('notes are written, listed with their author, and deleted; the owner never sees them', async () => {
  const made = await operator.write('POST', `/accounts/${userId}/notes`, { text: 'Contract\nuntil 2027' });
  expect(made).toMatchObject({ text: 'Contract\nuntil 2027', author: 'operator@example.com' });
  expect(await operator.get(`/accounts/${userId}/notes`)).toEqual([made]);
  expect((await operator.ask('POST', `/accounts/${userId}/notes`, { text: ' \n ' })).body.code).toBe(1001);
  expect((await operator.ask('POST', '/accounts/4711/notes', { text: 'x' })).body.code).toBe(1004);
  const token = await world.login('user@example.com');
  for (const path of ['/profile', '/account/ext', '/verification']) {
    const { body } = await world.api('GET', path, { token });
    expect(JSON.stringify(body)).not.toContain('Contract');
  }
  // A note of one account is not found below another.
  const otherId = await accountIdOf(operator, 'poor@example.com');
  expect((await operator.ask('DELETE', `/accounts/${otherId}/notes/${made.id}`)).body.code).toBe(1004);
  expect(await operator.write('DELETE', `/accounts/${userId}/notes/${made.id}`)).toEqual({});
  expect(await operator.get(`/accounts/${userId}/notes`)).toEqual([]);
  expect(await operator.lastRecord()).toMatchObject({
    before: { note: 'Contract\nuntil 2027' },
    after: null,
  });
});

test('an operator reads of an account what its owner reads: limits, preferences, verification, own keys', async () => {
  const token = await world.login('user@example.com');
  const hosted = { vendor_code: 'openai', name: 'mine', secret: 'sk-canary-0123456789-own' };
  expect((await world.api('POST', '/credential', { token, body: hosted })).body.code).toBe(0);
  const body = { model: 'claude-sonnet-5', messages: [{ role: 'user', content: 'hello' }] };
  expect((await world.post('/v1/chat/completions', body)).status).toBe(200);
  await world.settled();
  for (const path of ['/limits', '/preference', '/verification', '/credential/page', '/credential/stats']) {
    const own = (await world.api('GET', path, { token })).body;
    const seen = (await operator.ask('GET', `/accounts/${userId}${path}`)).body;
    // The seconds until a window ends go on. Its end is now and those seconds, so its last second may differ.
    const still = (value: unknown) => JSON.stringify(value).replace(/"resets_in":\d+|"ends_at":"[^"]+"/g, '');
    expect(still(seen), path).toBe(
      still({ ...own, request_id: (seen as { request_id?: string }).request_id }),
    );
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect((await operator.ask('GET', `/accounts/4711${path}`)).body.code).toBe(1004);
  }
  const limits = await operator.get<{ scopes: { policy: { windows: { used: string }[] } }[] }>(
    `/accounts/${userId}/limits`,
  );
  expect(limits.scopes[0]?.policy.windows[0]?.used).toBe('1');
});
