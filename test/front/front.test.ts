import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TruthCall } from '../../sim/truth.ts';
import { REQUEST_BODY_BYTES_MAX } from '../../src/bounds.ts';
import { SURFACES } from '../../src/operations/operation.ts';
import { CURL, needs, OPENSSL } from '../needs.ts';
import { until } from '../support/processes.ts';
import { certificateOf } from '../support/servers/certificate.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { type Answer, type Asked, ask, begin, upload } from './front-client.ts';
import { type FrontProxy, KINDS, SITE, startProxy } from './proxies.ts';

/** The gateway behind nginx, Caddy and HAProxy, each with the file of deploy/ that we ship. */

const CHAT = '/v1/chat/completions';
/** More than the minute after which proxies give up on a silent server unless they are told otherwise. */
const SILENT_MS = 65_000;
/** A hundred MiB of text are many tokens: the model must be cheap for the account to pay its hold. */
const CATALOG = STANDARD_CATALOG.replace(
  'models:\n',
  `models:
  - { model_id: cheap, prices: { input: "0.01", output: "0.01" }, max_output_tokens: 1000,
      routes: [{ vendor: openai, credential: openai-main, forward_model_id: cheap, protocols: [chat] }] }
`,
);

let world: World;
const proxies = new Map<string, FrontProxy>();
const slow = new Map<string, Promise<Answer>>();

function proxyOf(name: string): FrontProxy {
  const proxy = proxies.get(name);
  if (proxy === undefined) throw new Error(`${name} was not started`);
  return proxy;
}

function chat(words: string, more: object = {}): Asked {
  const body = JSON.stringify({
    model: 'gpt-5',
    messages: [{ role: 'user', content: `Hello [[sim ${words}]]` }],
    ...more,
  });
  return { path: CHAT, headers: world.headers(), body };
}

const streamed = (words: string): Asked => chat(words, { stream: true });

/** The events of a stream that have arrived whole. */
function eventsOf(answer: Answer): string[] {
  return answer
    .bytes()
    .toString()
    .split('\n\n')
    .slice(0, -1)
    .filter((text) => text.startsWith('data: '));
}

function truthOf(tag: string): TruthCall | undefined {
  return world.simulator.truth.find(tag);
}

/** What differs from one answer to the next. */
function withoutNames(bytes: Buffer): string {
  return bytes
    .toString()
    .replaceAll(/chatcmpl-\w+/g, 'ID')
    .replaceAll(/"created":\d+/g, '"created":0');
}

beforeAll(async () => {
  world = await startWorld({
    catalog: CATALOG,
    environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1', TOLLGATE_KEEP_ALIVE_MS: '1000' },
  });
  const pair = certificateOf(SITE);
  for (const kind of KINDS.filter(({ need }) => need.isMet)) {
    const proxy = await startProxy(kind, world.url, pair);
    proxies.set(kind.name, proxy);
    // Waited for by the last test.
    slow.set(kind.name, ask(proxy, chat(`delay=${SILENT_MS} tokens=5`)));
  }
});
afterAll(async () => {
  await Promise.allSettled([...slow.values()]);
  for (const proxy of proxies.values()) await proxy.close();
  await world?.close();
});

for (const { name, need, versions, hidesBreaks } of KINDS) {
  describe(`${name}, as deploy/ has it`, needs(need, OPENSSL), () => {
    describe.each(versions)('over %s', (version) => {
      it('passes a stream on event by event', async () => {
        const tag = `paced-${name}-${version}`;
        const events = 20;
        const lags: number[] = [];
        const answer = await ask(proxyOf(name), {
          ...streamed(`tag=${tag} tokens=${events} chunk=1 pace=100`),
          version,
        });
        answer.onPiece = () => lags.push((truthOf(tag)?.events ?? 0) - eventsOf(answer).length);
        await answer.whole;
        expect(answer.status).toBe(200);
        expect(eventsOf(answer).length).toBeGreaterThan(events);
        expect(lags.length, 'pieces').toBeGreaterThan(events / 2);
        expect(Math.max(...lags), 'events behind the vendor').toBeLessThan(events / 2);
        console.log(
          `proof | front | ${name} ${version} | ${lags.length} pieces, ${Math.max(...lags)} behind`,
        );
      });

      it('shows what came before the vendor fell silent, and keep-alives from then on', async () => {
        const answer = await ask(proxyOf(name), { ...streamed('tokens=20 chunk=1 fault=stall@6'), version });
        await until(() => eventsOf(answer).length === 6);
        await until(() => (answer.bytes().toString().match(/^:/gm) ?? []).length >= 2);
        answer.leave();
      });

      it('passes bytes on unchanged and uncompressed', async () => {
        const asked = { ...streamed('tokens=200 seed=4'), version };
        const headers = { ...world.headers(), 'accept-encoding': 'gzip, br' };
        const answer = await ask(proxyOf(name), { ...asked, headers });
        const direct = await world.post(CHAT, String(asked.body), headers);
        const bytes = await answer.whole;
        expect(withoutNames(bytes)).toBe(withoutNames(Buffer.from(await direct.arrayBuffer())));
        for (const header of ['content-type', 'content-encoding', 'cache-control']) {
          expect(answer.headers[header] ?? null, header).toBe(direct.headers.get(header));
        }
        const [own, other] = world.simulator.truth.all().slice(-2);
        expect(own?.bodySha256).toBe(other?.bodySha256);
      });

      it.each([
        ['in the middle of a stream', 'tokens=40 fault=stall@6', { stream: true }],
        ['before the answer begins', 'fault=no-headers', {}],
      ])('tells the vendor at once when the client leaves %s', async (_when, words, more) => {
        const tag = `left-${name}-${version}-${words}`.replaceAll(/\W+/g, '-');
        const call = begin(proxyOf(name), { ...chat(`tag=${tag} ${words}`, more), version });
        call.answer.catch(() => {});
        await until(() => truthOf(tag)?.finished === 'running');
        if ('stream' in more) await until(() => truthOf(tag)?.events === 6);
        call.leave();
        await until(() => truthOf(tag)?.finished === 'aborted-by-client', 30_000);
      });

      if (!hidesBreaks) {
        it('tells the client of a stream that broke off', async () => {
          const answer = await ask(proxyOf(name), {
            ...streamed('tokens=20 chunk=1 fault=reset@6'),
            version,
          });
          expect(answer.status).toBe(200);
          await expect(answer.whole).rejects.toThrow();
        });
      }

      it('passes a body of 100 MiB on, and the answer to one that is larger', needs(CURL), async () => {
        const asked = { path: CHAT, headers: world.headers(), version };
        const body = largeBody(REQUEST_BODY_BYTES_MAX);
        const passed = await upload(proxyOf(name), { ...asked, body });
        const seen = world.simulator.truth.all().at(-1);
        expect(seen?.bodySha256, passed.text).toBe(createHash('sha256').update(body).digest('hex'));
        const larger = largeBody(REQUEST_BODY_BYTES_MAX + 1);
        const { status, text, isCut } = await upload(proxyOf(name), { ...asked, body: larger });
        // Over HTTP/2 Caddy 2.6 at times resets the stream before curl has read the text.
        expect([status, isCut || JSON.parse(text).code]).toEqual([413, isCut || 41301]);
        expect(isCut && !(name.startsWith('Caddy') && version === 'HTTP/2'), text).toBe(false);
      });

      it('names the client’s own address, whatever the client says of it', async () => {
        const from = '127.0.0.77';
        const login = await ask(proxyOf(name), {
          path: `${SURFACES.auth}/login`,
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': '203.0.113.9',
            'x-real-ip': '203.0.113.9',
            forwarded: 'for=203.0.113.9',
            'user-agent': `${name} ${version}`,
          },
          body: JSON.stringify({ email: 'poor@example.com', password: 'a test password' }),
          from,
          version,
        });
        const { data } = JSON.parse((await login.whole).toString());
        const { body } = await world.api('GET', `${SURFACES.auth}/sessions`, { token: data.access_token });
        const [own] = body.data.filter((each: { current: boolean }) => each.current);
        expect(own).toMatchObject({ address: from });
      });

      it('passes the live events of the console on', async () => {
        const token = await world.login('user@example.com');
        const headers = { authorization: `Bearer ${token}` };
        const answer = await ask(proxyOf(name), { path: `${SURFACES.user}/live`, headers, version });
        await until(() => answer.bytes().includes('event: ready'));
        const call = await ask(proxyOf(name), chat('tokens=400'));
        const id = String(call.headers['x-request-id']);
        await call.whole;
        await until(() => answer.bytes().includes(id));
        answer.leave();
      });
    });

    it('passes the pages of the console on as they are', async () => {
      const headers = { 'accept-encoding': 'gzip, br', accept: 'text/html' };
      const answer = await ask(proxyOf(name), { path: '/', headers });
      const direct = await fromGateway(headers);
      expect([answer.headers['content-encoding'], answer.headers.etag]).toEqual(direct.names);
      expect((await answer.whole).equals(direct.bytes)).toBe(true);
    });

    it('sends whoever comes without TLS to the other port', async () => {
      const address = `http://127.0.0.1:${proxyOf(name).plainPort}/v1/models?a=b`;
      const { status, headers } = await fetch(address, { redirect: 'manual', headers: { host: SITE } });
      expect(status).toBe(308);
      expect(headers.get('location')).toMatch(/^https:\/\/.+\/v1\/models\?a=b$/);
    });

    it('does not cut a call whose vendor says nothing for more than a minute', async () => {
      const answer = await slow.get(name);
      expect(answer?.status).toBe(200);
      expect(JSON.parse(String(await answer?.whole))).toMatchObject({ object: 'chat.completion' });
    });
  });
}

/** The first page, as the gateway itself sends it: `fetch` would unpack it. */
function fromGateway(headers: Record<string, string>): Promise<{ names: unknown[]; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    get(world.url, { headers }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ names: [response.headers['content-encoding'], response.headers.etag], bytes });
    }).once('error', reject);
  });
}

/** A chat request of exactly so many bytes, in which nothing has to be replaced for the vendor. */
function largeBody(bytes: number): Buffer {
  const head = '{"model":"cheap","messages":[{"role":"user","content":"[[sim tokens=2]] ';
  const tail = '"}]}';
  const text = Buffer.alloc(bytes - head.length - tail.length, 'word ');
  return Buffer.concat([Buffer.from(head), text, Buffer.from(tail)]);
}
