import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Member, MemberWorld, newKey } from './members.ts';

/** A vendor's address of a member's own. It answers as it is told, and hears every request. */
interface OwnVendor {
  readonly url: string;
  readonly host: string;
  readonly heard: IncomingMessage[];
  answer: (response: ServerResponse) => void;
  close(): void;
}

async function startOwnVendor(): Promise<OwnVendor> {
  const heard: IncomingMessage[] = [];
  const vendor: { -readonly [Name in keyof OwnVendor]: OwnVendor[Name] } = {
    url: '',
    host: '',
    heard,
    answer: () => {},
    close: () => server.close(),
  };
  const server = createServer((request, response) => {
    heard.push(request);
    request.resume();
    vendor.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vendor.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  vendor.url = `http://${vendor.host}/v1`;
  return vendor;
}

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

let world: MemberWorld;
let vendor: OwnVendor;
let ada: Member;
beforeAll(async () => {
  vendor = await startOwnVendor();
  world = await MemberWorld.start({ TOLLGATE_BYOK_HOSTS: vendor.host });
  ada = await world.member();
});
afterAll(async () => {
  await world.close();
  vendor.close();
});

let names = 0;
const GOOD = { vendor_code: 'openai', secret: 'sk-sim-openai-of-ada-0123' };
const wanted = (parts: object = {}) => ({ ...GOOD, name: `credential ${++names}`, ...parts });
async function host(member: Member, parts: object = {}): Promise<number> {
  const { body } = await member.ask('POST', '/credential', wanted(parts));
  if (body.code !== 0) throw new Error(body.message);
  return body.data.id;
}
const listed = async (member: Member, id: number) => {
  const { body } = await member.ask('GET', '/credential/page?size=100');
  return body.data.find((each: { id: number }) => each.id === id);
};

describe('rule I-74: BYOK credentials', () => {
  test('are possible for the listed vendors, and no other', async () => {
    const { body } = await ada.ask('GET', '/credential/vendors');
    const codes = body.data.map((each: { vendor_code: string }) => each.vendor_code).sort();
    expect(codes).toEqual(['anthropic', 'chatty', 'google', 'idle', 'openai']);
    expect(body.data.find((each: { vendor_code: string }) => each.vendor_code === 'openai')).toMatchObject({
      vendor_name: 'OpenAI',
      protocols: ['chat', 'responses', 'images'],
      custom_base_url: true,
    });
    expect(JSON.stringify(body)).not.toContain('sk-sim');
  });

  test('are added and listed with the last four characters of their secret only', async () => {
    const id = await host(ada, { name: 'mine' });
    expect(await listed(ada, id)).toMatchObject({
      id,
      vendor_code: 'openai',
      name: 'mine',
      secret_hint: '…0123',
      base_url: null,
      status: 'enabled',
    });
    expect(JSON.stringify((await ada.ask('GET', '/credential/page')).body)).not.toContain('of-ada');
    const rows = await world.world.database.query('select to_jsonb(credentials) as row from credentials');
    expect(JSON.stringify(rows)).not.toContain('of-ada');
  });

  test('tell when they were last used and since when they fail, also behind a platform that took over', async () => {
    const member = await world.member({ credits: 50_000n });
    const { api_key: key } = await newKey(member);
    await member.ask('PUT', '/preference', { byok_fallback: true });
    const id = await host(member, { name: 'watched' });
    const unused = { last_used_at: null, last_outcome: null, failing_since: null };
    expect(await listed(member, id)).toMatchObject(unused);
    const call = async () => {
      expect((await world.call(key, 'gpt', 'tokens=4')).status).toBe(200);
      await world.world.settled();
    };
    await call();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(await listed(member, id)).toMatchObject({
      last_used_at: time,
      last_outcome: 'ok',
      failing_since: null,
    });
    await member.ask('PUT', '/credential', { id, secret: 'sk-wrong-0123456789' });
    await call();
    const { last_used_at: first } = await listed(member, id);
    expect(await listed(member, id)).toMatchObject({ last_outcome: '401', failing_since: first });
    await member.ask('PUT', '/credential', { id, secret: GOOD.secret });
    await call();
    expect(await listed(member, id)).toMatchObject({ last_outcome: 'ok', failing_since: null });
    const other = await host(member, { name: 'other', vendor_code: 'google', secret: 'sk-sim-google-x' });
    expect(await listed(member, other)).toMatchObject(unused);
  });

  test('serve calls that are not charged and appear in their statistics, and no others', async () => {
    const [member, stranger] = [await world.member(), await world.member()];
    const id = await host(member, { name: 'counted' });
    const { api_key: key } = await newKey(member);
    expect((await world.call(key, 'gpt', 'tokens=40')).status).toBe(200);
    await world.world.settled();
    const { body } = await member.ask('GET', '/credential/stats');
    expect(body.data).toEqual([
      {
        id,
        name: 'counted',
        vendor_code: 'openai',
        calls: 1,
        failed: 0,
        input_tokens: expect.any(Number),
        output_tokens: 40,
        images: 0,
      },
    ]);
    expect(body.data[0].input_tokens).toBeGreaterThan(0);
    expect((await stranger.ask('GET', '/credential/stats')).body.data).toEqual([]);
    const past = 'from=2020-01-01 00:00:00&to=2020-02-01 00:00:00';
    expect((await member.ask('GET', `/credential/stats?${past}`)).body.data).toEqual([]);
    for (const query of [
      'from=x',
      'from=2030-01-01 00:00:00',
      'from=2000-01-01 00:00:00',
      'to=2020-13-01 00:00:00',
    ]) {
      const answer = await member.ask('GET', `/credential/stats?${query}`);
      expect([answer.status, answer.body.code], query).toEqual([400, 1001]);
    }
  });

  test('are renamed, disabled and given another secret; the vendor is fixed', async () => {
    const id = await host(ada);
    expect(
      (await ada.ask('PUT', '/credential', { id, name: 'renamed', status: 'disabled' })).body.data,
    ).toEqual({ id });
    expect(await listed(ada, id)).toMatchObject({
      name: 'renamed',
      status: 'disabled',
      secret_hint: '…0123',
    });
    await ada.ask('PUT', '/credential', { id, vendor_code: 'openai', secret: 'sk-sim-openai-another-4567' });
    expect(await listed(ada, id)).toMatchObject({ name: 'renamed', secret_hint: '…4567' });
    const moved = await ada.ask('PUT', '/credential', { id, vendor_code: 'anthropic' });
    expect([moved.status, moved.body.code]).toEqual([400, 1001]);
  });

  test('need the secret again for a new address', async () => {
    const id = await host(ada);
    const bare = await ada.ask('PUT', '/credential', { id, base_url: vendor.url });
    expect([bare.status, bare.body.code]).toEqual([400, 1001]);
    expect(bare.body.message).toContain('secret');
    expect((await listed(ada, id)).base_url).toBeNull();
    const whole = await ada.ask('PUT', '/credential', {
      id,
      base_url: vendor.url,
      secret: 'sk-for-that-address',
    });
    expect(whole.body.code).toBe(0);
    expect((await listed(ada, id)).base_url).toBe(vendor.url);
  });

  test('are deleted by the ids of the query, all or none, and no further call uses them', async () => {
    const member = await world.member();
    const [first, second] = [await host(member), await host(member)];
    const foreign = await host(ada);
    const { api_key: key } = await newKey(member);
    expect((await world.call(key)).status).toBe(200);
    const mixed = await member.ask('DELETE', `/credential?ids=${first},${foreign}`);
    expect([mixed.status, mixed.body.code]).toEqual([404, 1004]);
    expect((await member.ask('GET', '/credential/page')).body.total).toBe(2);
    const gone = await member.ask('DELETE', `/credential?ids=${first},${second}`);
    expect(gone.body.data).toEqual({ deleted: 2 });
    expect((await world.call(key)).status).toBe(403);
    expect(await listed(ada, foreign)).toBeDefined();
    for (const ids of ['', 'x', '1,', '-1']) {
      expect((await member.ask('DELETE', `/credential?ids=${ids}`)).body.code, ids).toBe(1001);
    }
  });

  test('of another account are answered exactly like absent ones', async () => {
    const foreign = await host(await world.member());
    for (const [method, path, body] of [
      ['PUT', '/credential', { secret: 'sk-stolen' }],
      ['DELETE', '/credential?ids=:id', undefined],
      ['POST', '/credential/test', {}],
    ] as const) {
      const ask = (id: number) => ada.ask(method, path.replace(':id', String(id)), body && { ...body, id });
      const [theirs, nobodys] = [await ask(foreign), await ask(987_654_321)];
      expect([theirs.status, theirs.body], path).toEqual([nobodys.status, nobodys.body]);
      expect(theirs.body.code).toBe(1004);
    }
  });

  test.each([
    [{ vendor_code: 'closed' }, 'vendor_code'],
    [{ vendor_code: 'nobody' }, 'vendor_code'],
    [{ vendor_code: 'anthropic', base_url: 'https://api.example.com' }, 'base_url'],
    [{ base_url: 'https://10.0.0.1' }, 'base_url'],
    [{ secret: '' }, 'secret'],
    [{ secret: 'two words' }, 'secret'],
    [{ secret: 'line\r\nbreak: x' }, 'secret'],
    [{ secret: 'x'.repeat(4_097) }, 'secret'],
    [{ name: '' }, 'name'],
  ])('with invalid fields are refused by name: %j', async (parts, named) => {
    const answer = await ada.ask('POST', '/credential', wanted(parts));
    expect([answer.status, answer.body.code]).toEqual([400, 1001]);
    expect(answer.body.message).toContain(named);
  });

  test('have unique names in an account', async () => {
    await host(ada, { name: 'only one' });
    const twin = await ada.ask('POST', '/credential', wanted({ name: 'only one' }));
    expect([twin.status, twin.body.code]).toEqual([409, 1005]);
  });
});

describe('rule I-76: the connectivity test', () => {
  const probe = async (parts: object, member: Member = ada) =>
    (await member.ask('POST', '/credential/test', parts)).body;

  test.each([
    ['openai', 'sk-sim-openai-x'],
    ['anthropic', 'sk-sim-anthropic-x'],
    ['google', 'sk-sim-google-x'],
    ['chatty', 'sk-sim-openai-x'],
  ])('makes one real minimal call to %s and reports its duration', async (vendor_code, secret) => {
    const before = world.world.simulator.truth.all().length;
    const { data } = await probe({ vendor_code, secret });
    expect(data).toEqual({ ok: true, status: 200, latency_ms: expect.any(Number), message: null });
    expect(world.world.simulator.truth.all().length - before).toBe(1);
  });

  test('reports the vendor’s own error, without the secret', async () => {
    const secret = 'sk-of-nobody-at-all';
    const { code, data } = await probe({ vendor_code: 'openai', secret });
    expect([code, data.ok, data.status]).toEqual([0, false, 401]);
    expect(data.message.length).toBeGreaterThan(5);
    expect(JSON.stringify(data)).not.toContain(secret);
  });

  test('uses a stored credential at its own address, whatever else the request contains', async () => {
    vendor.answer = json(200, { id: 'x', choices: [] });
    vendor.heard.length = 0;
    const own = await host(ada, { base_url: vendor.url, secret: 'sk-for-my-own-address' });
    expect((await probe({ id: own })).data).toMatchObject({ ok: true, status: 200 });
    expect(vendor.heard.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-for-my-own-address',
    ]);
    const vendors = await host(ada);
    await probe({ id: vendors, base_url: vendor.url, secret: 'sk-x', vendor_code: 'openai' });
    expect(vendor.heard, 'the stored secret did not go to the named address').toHaveLength(1);
  });

  test.each([
    ['a raw page', (response: ServerResponse) => response.end('<html>INNER SECRET PAGE</html>'), 200],
    ['an error page', json(500, '<html>INNER SECRET PAGE</html>'), 500],
    ['foreign JSON', json(404, { detail: 'INNER SECRET PAGE' }), 404],
  ])('returns nothing raw of the answer: %s', async (_name, answer, status) => {
    vendor.answer = answer;
    const { data } = await probe({ ...GOOD, base_url: vendor.url });
    expect(data).toMatchObject({ ok: false, status });
    expect(JSON.stringify(data)).not.toContain('INNER');
  });

  test('follows no redirect', async () => {
    vendor.heard.length = 0;
    vendor.answer = (response) => response.writeHead(302, { location: `${vendor.url}/elsewhere` }).end();
    const { data } = await probe({ ...GOOD, base_url: vendor.url });
    expect(data).toMatchObject({ ok: false, status: 302 });
    expect(vendor.heard).toHaveLength(1);
  });

  test('shortens the vendor’s text, without line breaks and the secret', async () => {
    const words = `no\r\n${GOOD.secret} ${'x'.repeat(5_000)}`;
    vendor.answer = json(401, { error: { message: words, type: 'auth' } });
    const { data } = await probe({ ...GOOD, base_url: vendor.url });
    expect(data.message.length).toBeLessThanOrEqual(301);
    expect(data.message).toMatch(/^no … x+…$/);
  });

  test('reads a bounded part of an endless or huge answer', async () => {
    vendor.answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(65_536, 'x');
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    };
    const { data } = await probe({ ...GOOD, base_url: vendor.url });
    expect(data).toMatchObject({ ok: false, status: null });
  });

  test('runs one at a time for an account', async () => {
    const member = await world.member();
    let release = (): void => {};
    vendor.answer = (response) => {
      release = () => json(200, { id: 'x' })(response);
    };
    vendor.heard.length = 0;
    const first = probe({ ...GOOD, base_url: vendor.url }, member);
    await expect.poll(() => vendor.heard.length).toBe(1);
    const second = await member.ask('POST', '/credential/test', { ...GOOD, base_url: vendor.url });
    expect([second.status, second.body.code]).toEqual([429, 1006]);
    release();
    expect((await first).data.ok).toBe(true);
  });

  test('is refused for a vendor without a text model of the platform', async () => {
    expect((await probe({ vendor_code: 'idle', secret: 'sk-x' })).data).toMatchObject({
      ok: false,
      status: null,
    });
  });

  test.each([{}, { vendor_code: 'openai' }, { secret: 'sk-x' }, { id: 0 }, { id: '1' }])(
    'is refused without a credential or an id: %j',
    async (body) => {
      expect((await probe(body)).code).toBe(1001);
    },
  );
});
