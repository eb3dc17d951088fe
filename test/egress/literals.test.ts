import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isForbiddenLiteral } from '../../src/upstream/guard/media-address.ts';
import { isPublicAddress } from '../../src/upstream/guard/public-address.ts';
import { createUpstreamClient } from '../../src/upstream/http/client.ts';
import { type Member, MemberWorld, newKey } from '../platform/members.ts';
import { post, run } from '../support/upstream.ts';
import { FORBIDDEN, GOOD, LEADS_INSIDE } from './addresses.ts';
import { type Canary, startCanary } from './canary.ts';

let world: MemberWorld;
let canary: Canary;
let ada: Member;
beforeAll(async () => {
  canary = await startCanary();
  world = await MemberWorld.start();
  ada = await world.member();
});
afterAll(async () => {
  await world.close();
  await canary.close();
});

const SECRET = 'sk-of-ada-0123456789';
const save = (base_url: string, name = base_url.slice(0, 60)) =>
  ada.ask('POST', '/credential', { vendor_code: 'openai', name, secret: SECRET, base_url });
const probe = (base_url: string) =>
  ada.ask('POST', '/credential/test', { vendor_code: 'openai', secret: SECRET, base_url });

test('the list has 75 forbidden and 50 allowed addresses, each once', () => {
  expect([new Set(FORBIDDEN).size, new Set(GOOD).size]).toEqual([75, 50]);
});

describe('a forbidden address', () => {
  test('is refused for the same reason when it is saved, changed and tested', async () => {
    const { body } = await save('https://api.openai.com/v1', 'to be changed');
    for (const address of FORBIDDEN) {
      const saved = await save(address);
      expect([saved.status, saved.body.code], address).toEqual([400, 1001]);
      expect(saved.body.message, address).toMatch(/^base_url must /);
      const change = { id: body.data.id, secret: SECRET, base_url: address };
      expect((await ada.ask('PUT', '/credential', change)).body, address).toEqual(saved.body);
      expect((await probe(address)).body, address).toEqual(saved.body);
    }
    expect((await ada.ask('GET', '/credential/page')).body.total).toBe(1);
    await ada.ask('DELETE', `/credential?ids=${body.data.id}`);
  });

  test('is not connected to by a call when it is stored: 0 connections', async () => {
    const client = createUpstreamClient({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    for (const address of FORBIDDEN) {
      const url = URL.parse(address);
      // What no client can parse cannot be called; a secret would go nowhere.
      if (url === null || !url.protocol.startsWith('http') || url.hostname === '') continue;
      const origin = `http://${url.hostname}:${canary.port}`;
      const outcome = await run(client, { ...post(origin), reach: 'public' }).ended;
      expect(outcome.failure?.kind, address).toBe('connect');
    }
    await client.close();
    expect(canary.connections).toBe(0);
  });

  test('is not connected to by the gateway when it was written into the database', async () => {
    const member = await world.member();
    const { body } = await member.ask('POST', '/credential', {
      vendor_code: 'chatty',
      name: 'x',
      secret: SECRET,
    });
    const { api_key: key } = await newKey(member);
    for (const host of [
      '127.0.0.1',
      '[::1]',
      'localhost',
      '2130706433',
      ...canary.addresses.map(bracketed),
    ]) {
      await world.world.database.query('update credentials set base_url = $2 where id = $1', [
        body.data.id,
        `http://${host}:${canary.port}/v1`,
      ]);
      await member.ask('PUT', '/credential', { id: body.data.id, name: `at ${host}` });
      expect((await world.call(key, 'chatty')).status, host).toBeGreaterThanOrEqual(400);
      const tested = await member.ask('POST', '/credential/test', { id: body.data.id });
      expect(tested.body.data, host).toMatchObject({
        ok: false,
        status: null,
        message: 'The address cannot be reached',
      });
    }
    expect(canary.connections).toBe(0);
  });

  test('would have been noticed: a listener answers at every address of this machine', async () => {
    const client = createUpstreamClient();
    for (const address of canary.addresses) {
      const before = canary.connections;
      await run(client, post(`http://${bracketed(address)}:${canary.port}`)).ended;
      expect(canary.connections - before, address).toBe(1);
    }
    await client.close();
  });
});

describe('a public address', () => {
  test('is saved and would be called: 0 of 50 are refused', async () => {
    for (const address of GOOD) {
      const saved = await save(address);
      expect([saved.status, saved.body.message], address).toEqual([200, 'ok']);
      expect(isForbiddenLiteral(new URL(address), new Set()), address).toBe(false);
    }
    expect((await ada.ask('GET', '/credential/page')).body.total).toBe(50);
  });

  test.each(LEADS_INSIDE)('whose name leads inside is refused at the connection: %s', async (address) => {
    const { hostname } = new URL(address);
    const client = createUpstreamClient({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const before = canary.connections;
    const request = { ...post(`http://${hostname}:${canary.port}`), reach: 'public' } as const;
    expect((await run(client, request).ended).failure?.kind).toBe('connect');
    await client.close();
    expect(canary.connections - before).toBe(0);
  });
});

test('every address of this machine is forbidden', () => {
  expect(canary.addresses.filter(isPublicAddress)).toEqual([]);
});

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
