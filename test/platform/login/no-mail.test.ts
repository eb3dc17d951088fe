import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

test('without a mail server nothing asks for an address, and a reset says to ask the operator', async () => {
  const auth = '/api/v1/user/auth';
  const made = await world.api('POST', `${auth}/register`, {
    body: { email: 'fresh@example.com', password: 'a fresh password' },
  });
  const token = made.body.data.access_token;
  expect((await world.api('GET', '/settings')).body.data.can_mail).toBe(false);
  for (const [path, body] of [
    ['/password-reset', { email: 'fresh@example.com' }],
    ['/password-reset/confirm', { token: 'tgm1.x', password: 'a fresh password' }],
    ['/verify-address', {}],
    ['/verify-address/confirm', { token: 'tgm1.x' }],
  ] as const) {
    const refused = await world.api('POST', `${auth}${path}`, { token, body });
    expect(refused.body, path).toMatchObject({
      ...{ code: 1003, message: 'This server sends no e-mail. Ask its operator' },
    });
  }
  const channel = { kind: 'email', name: 'me', alerts: [] };
  expect((await world.api('POST', '/alert/channels', { token, body: channel })).body.code).toBe(1001);
  const waiting = await world.database.query('select 1 from alert_outbox');
  expect(waiting).toEqual([]);
});
