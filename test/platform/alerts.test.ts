import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signWebhook } from '../../src/upstream/messages/webhook.ts';
import { type MailServer, readMail, startMailServer } from '../support/servers/mail-server.ts';
import { startWorld, type World } from '../support/world.ts';

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let world: World;
let mail: MailServer;
let receiver: Server;
let hook: string;
const got: Got[] = [];
let status = 204;

beforeAll(async () => {
  mail = await startMailServer();
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  hook = `http://${host}/hook`;
  world = await startWorld({
    environment: {
      TOLLGATE_WEBHOOK_HOSTS: host,
      TOLLGATE_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      TOLLGATE_SMTP_TLS: 'optional',
      TOLLGATE_MAIL_FROM: 'Tollgate <alerts@example.com>',
      TOLLGATE_PUBLIC_URL: 'http://127.0.0.1:8080',
    },
  });
});
afterAll(async () => {
  await world?.close();
  await new Promise((resolve) => receiver.close(resolve));
  await mail.close();
});

const ADMIN = '/api/v1/admin/alerts';
const idOf = async (email: string): Promise<number> => {
  const [row] = await world.database.query<{ id: bigint }>('select id from accounts where email = $1', [
    email,
  ]);
  return Number(row?.id);
};
const verify = async (email: string): Promise<void> => {
  await world.database.query('insert into verified_addresses (account_id, email) values ($1, $2)', [
    await idOf(email),
    email,
  ]);
};

test('a user tests a webhook, which can verify what it gets, and the secret is shown once', async () => {
  const token = await world.login('user@example.com');
  const body = { kind: 'webhook', name: 'team', address: hook, alerts: ['credits-low', 'credits-low'] };
  const made = await world.api('POST', '/alert/channels', { token, body });
  const { id, secret } = made.body.data;
  expect(secret).toMatch(/^whsec_/);
  expect((await world.api('POST', `/alert/channels/${id}/test`, { token })).body.code).toBe(0);
  await expect.poll(() => got.length, { timeout: 20_000 }).toBe(1);
  const { headers, body: text } = got[0] as Got;
  const seconds = Number(headers['webhook-timestamp']);
  const signed = signWebhook({ id: String(headers['webhook-id']), body: text, secret }, seconds);
  expect(headers['webhook-signature']).toBe(signed);
  expect(JSON.parse(text)).toMatchObject({ type: 'test', data: { title: 'Test of a channel' } });
  await expect
    .poll(async () => (await world.api('GET', '/alert/deliveries', { token })).body.data, { timeout: 20_000 })
    .toMatchObject([{ status: 'sent', message_id: headers['webhook-id'], channel: 'team', next_at: null }]);
  const dead = await world.api('GET', '/alert/deliveries?status=dead', { token });
  expect(dead.body).toMatchObject({ data: [], total: 0 });
  const listed = await world.api('GET', '/alert/channels', { token });
  expect(listed.body.data).toMatchObject([{ id, alerts: ['credits-low'], status: 'enabled' }]);
  expect(JSON.stringify(listed.body)).not.toContain(secret);
  const changed = await world.api('PUT', '/alert/channels', { token, body: { id, language: 'zh' } });
  expect(changed.body.data).toEqual({ id });
});

test('addresses inside the network, of others and of nobody are refused', async () => {
  const token = await world.login('user@example.com');
  const add = async (body: object) => (await world.api('POST', '/alert/channels', { token, body })).body;
  const base = { name: 'x', alerts: [] };
  for (const address of [
    'https://127.0.0.1/',
    'https://localhost/',
    'http://example.com/',
    'https://10.0.0.1/x',
  ]) {
    const refused = await add({ ...base, kind: 'webhook', address });
    expect([refused.code, refused.message.startsWith('address: ')], address).toEqual([1001, true]);
  }
  const other = await add({ ...base, kind: 'email', address: 'victim@example.com' });
  expect(other.message).toBe('address: e-mail goes to the address of the account only');
  expect((await add({ ...base, kind: 'email' })).message).toBe('Confirm your e-mail address first');
  expect((await add({ ...base, kind: 'webhook', address: hook, alerts: ['route-down'] })).code).toBe(1001);
});

test('a condition of the account reaches its confirmed address, in its language', async () => {
  const email = 'poor@example.com';
  const token = await world.login(email);
  // Later, so that the login is not mailed to it.
  await verify(email);
  const settings = { credits_low: '2000000', language: 'zh' };
  expect((await world.api('PUT', '/alert/settings', { token, body: settings })).body.data).toMatchObject({
    ...{ ...settings, email, email_verified: true, can_mail: true },
  });
  const body = { kind: 'email', name: 'me', alerts: ['credits-low'], language: 'zh' };
  expect((await world.api('POST', '/alert/channels', { token, body })).body.data.secret).toBeNull();
  await world.database.query("update alert_tasks set due_at = now() where name = 'conditions'");
  // The sign-in from a new place is mailed to the same address.
  const told = () => mail.mails.find((each) => readMail(each).includes('低于 2000000'));
  await expect.poll(told, { timeout: 60_000 }).toBeDefined();
  expect(told()?.to).toEqual([email]);
}, 90_000);

test('an operator lists what could not be sent and sends it again with the same id', async () => {
  const token = await world.login('operator@example.com');
  const body = { kind: 'webhook', name: 'ops', address: hook, alerts: ['route-down'] };
  const { id } = (await world.api('POST', `${ADMIN}/channels`, { token, body })).body.data;
  status = 410;
  got.length = 0;
  const tested = await world.api('POST', `${ADMIN}/channels/${id}/test`, { token });
  const dead = async () => (await world.api('GET', `${ADMIN}/deliveries?status=dead`, { token })).body.data;
  await expect
    .poll(dead, { timeout: 20_000 })
    .toMatchObject([
      { id: tested.body.data.delivery_id, last_error: 'answered with 410', account_id: null, channel: 'ops' },
    ]);
  status = 204;
  const again = `${ADMIN}/deliveries/${tested.body.data.delivery_id}/resend`;
  expect((await world.api('POST', again, { token })).body.code).toBe(0);
  await expect.poll(() => got.length, { timeout: 20_000 }).toBe(2);
  expect(got[1]?.headers['webhook-id']).toBe(got[0]?.headers['webhook-id']);
  await expect.poll(dead, { timeout: 20_000 }).toEqual([]);
  expect((await world.api('GET', `${ADMIN}/states`, { token })).body.data).toEqual([]);
});

test('tests are few in a minute, and channels are few', async () => {
  const token = await world.login('operator@example.com');
  const [channel] = (await world.api('GET', `${ADMIN}/channels`, { token })).body.data;
  const codes: number[] = [];
  for (let count = 0; count < 6; count++) {
    codes.push((await world.api('POST', `${ADMIN}/channels/${channel.id}/test`, { token })).body.code);
  }
  expect(codes.at(-1)).toBe(1006);
  const body = { kind: 'webhook', name: 'x', address: hook, alerts: [] };
  const user = await world.login('user@example.com');
  for (let count = 0; count < 19; count++) await world.api('POST', '/alert/channels', { token: user, body });
  expect((await world.api('POST', '/alert/channels', { token: user, body })).body.code).toBe(1005);
});
