import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTollgate, type Tollgate } from '../../src/app.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { CALLS_AFTER } from '../../src/store/logs/live-calls.ts';
import { configOf } from '../support/config.ts';
import { until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';

/** Rule I-97: streams of events, from two nodes on one database. The second one's way to it can be cut. */
const SECRET = 'one root secret for both of the nodes';

let world: World;
let second: Tollgate;
let folder: string;
let way: Way;
let token: string;

beforeAll(async () => {
  world = await startWorld({ environment: { TOLLGATE_SECRET: SECRET } });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-second-'));
  way = await openWay(world.config.databaseUrl ?? '');
  second = await startNode(way.url);
  token = await world.login('user@example.com');
});
afterAll(async () => {
  await second?.stop();
  await world?.close();
  await way?.close();
  await rm(folder, { recursive: true, force: true });
});
const open: Stream[] = [];
afterEach(async () => {
  for (const stream of open.splice(0)) await stream.close();
});

function startNode(databaseUrl: string): Promise<Tollgate> {
  const config = configOf({
    ...{ TOLLGATE_SECRET: SECRET, TOLLGATE_HOST: '127.0.0.1', TOLLGATE_PORT: '0' },
    ...{ TOLLGATE_DATA: join(folder, 'data'), SIM: world.simulator.url, DATABASE_URL: databaseUrl },
  });
  return startTollgate(config, silentLogger);
}

interface Way {
  readonly url: string;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A forwarder to the database that can be cut. */
async function openWay(databaseUrl: string): Promise<Way> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (isCut) {
      socket.destroy();
      return;
    }
    const host = target.searchParams.get('host') ?? target.hostname;
    const port = Number(target.searchParams.get('port') ?? (target.port || '5432'));
    const there = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    there.on('error', () => socket.destroy());
    there.on('close', () => socket.destroy());
    socket.on('close', () => there.destroy());
    socket.pipe(there).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Told {
  readonly name: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it asserts
  readonly data: any;
}

class Stream {
  readonly events: Told[] = [];
  readonly status: number;
  readonly body: Promise<string>;
  ended = false;
  comments = 0;
  readonly #stop: AbortController;

  constructor(response: Response, stop: AbortController) {
    this.status = response.status;
    this.#stop = stop;
    this.body = this.#read(response);
  }

  of(name: string): Told[] {
    return this.events.filter((event) => event.name === name);
  }

  /** The call ids, in the order of their arrival. */
  get calls(): string[] {
    return this.of('call').map(({ data }) => data.request_id);
  }

  get lastId(): string {
    return this.events.findLast(({ id }) => id !== '')?.id ?? '';
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.body;
  }

  async #read(response: Response): Promise<string> {
    let rest = '';
    try {
      for await (const piece of response.body ?? []) {
        rest += Buffer.from(piece).toString('utf8');
        for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
          this.#take(rest.slice(0, at));
          rest = rest.slice(at + 2);
        }
      }
    } catch {
      // Ended by the test, or cut.
    }
    this.ended = true;
    return rest;
  }

  #take(text: string): void {
    const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const name = fields.get('event');
    if (name === undefined) this.comments += 1;
    else this.events.push({ name, id: fields.get('id') ?? '', data: JSON.parse(fields.get('data') ?? '{}') });
  }
}

interface Wanted {
  readonly url?: string;
  readonly path?: string;
  readonly bearer?: string;
  readonly last?: string;
}

async function watch({ url = world.url, path = '/user/user/live', bearer = token, last }: Wanted = {}) {
  const stop = new AbortController();
  const response = await fetch(`${url}/api/v1${path}`, {
    signal: stop.signal,
    headers: {
      ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
      ...(last === undefined ? {} : { 'last-event-id': last }),
    },
  });
  const stream = new Stream(response, stop);
  open.push(stream);
  return stream;
}

async function ready(wanted: Wanted = {}): Promise<Stream> {
  const stream = await watch(wanted);
  await until(() => stream.of('ready').length === 1);
  return stream;
}

async function call(key = world.key): Promise<string> {
  const body = { model: 'gpt-5', messages: [{ role: 'user', content: 'hello [[sim tokens=400]]' }] };
  const response = await world.post('/v1/chat/completions', body, world.headers(key));
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

describe('a stream of events', () => {
  test('a call through one node arrives at a listener of the other, as the page shows it', async () => {
    const stream = await ready({ url: second.url });
    const id = await call();
    await until(() => stream.calls.includes(id));
    const { body } = await world.api('GET', '/call-log/page?size=1', { token });
    expect(stream.of('call').map(({ data }) => data)).toEqual(body.data);
  });

  test('limits and money arrive as they are read, and again when they change', async () => {
    const stream = await ready();
    await until(() => stream.of('limits').length > 0 && stream.of('account').length > 0);
    const before = stream.of('account').at(-1)?.data;
    await call();
    await until(() => stream.of('account').some(({ data }) => data.credits !== before.credits));
    await until(async () => {
      const { body } = await world.api('GET', '/ext', { token });
      return JSON.stringify(body.data) === JSON.stringify(stream.of('account').at(-1)?.data);
    });
    const { body } = await world.api('GET', '/limits', { token });
    const strip = (text: string) => text.replaceAll(/"(?:resets_in|ends_at)":[^,}]+/g, '');
    await until(
      () => strip(JSON.stringify(stream.of('limits').at(-1)?.data)) === strip(JSON.stringify(body.data)),
    );
  });

  test('after a break it goes on at any node, without loss and without doubles', async () => {
    const first = await ready({ url: second.url });
    const ids = [await call(), await call()];
    await until(() => first.calls.length === 2);
    // As if the break came after the first call.
    const after = first.of('call')[0]?.id ?? '';
    await first.close();
    ids.push(await call(), await call());
    await world.settled();
    const again = await ready({ last: after });
    ids.push(await call());
    await until(() => again.calls.length >= 4);
    const fromQuery = await ready({ url: second.url, path: `/user/user/live?after=${after}` });
    await until(() => fromQuery.calls.length >= 4);
    // A look later nothing has come twice.
    const last = await call();
    await until(() => again.calls.includes(last) && fromQuery.calls.includes(last));
    expect(again.calls.toSorted()).toEqual([...ids.slice(1), last].toSorted());
    expect(fromQuery.calls.toSorted()).toEqual(again.calls.toSorted());
    expect(again.of('reset')).toEqual([]);
  });

  test('a place that is too old, or that is none, is answered with a reset', async () => {
    for (const last of ['nonsense', '1.1', `${'z'.repeat(900)}`]) {
      const stream = await ready({ last });
      await until(() => stream.of('reset').length === 1);
    }
  });

  test('nobody sees the calls of another account; operators see all, with whose they are', async () => {
    const poor = await ready({ bearer: await world.login('poor@example.com') });
    const operator = await ready({ path: '/admin/live', bearer: await world.login('operator@example.com') });
    const own = await ready();
    const id = await call();
    const foreign = await call(await world.newKey('poor@example.com'));
    await until(() => own.calls.includes(id) && poor.calls.includes(foreign));
    await until(() => [id, foreign].every((one) => operator.calls.includes(one)));
    expect(own.calls).toEqual([id]);
    expect(poor.calls).toEqual([foreign]);
    const shown = operator.of('call').find(({ data }) => data.request_id === foreign)?.data;
    // It was refused: it costs more than the account has.
    expect(shown).toMatchObject({ email: 'poor@example.com', vendor: null, error_code: 40201 });
    await until(() => operator.of('health').length > 0);
    expect(operator.of('health')[0]?.data).toMatchObject({ credentials: expect.any(Array), nodes: [{}] });
  });

  test('needs a login: none and a key are 1002, a user at the operators’ is 1003', async () => {
    const codeOf = async (wanted: Wanted) => JSON.parse(await (await watch(wanted)).body).code;
    expect(await codeOf({ bearer: '' })).toBe(1002);
    expect(await codeOf({ bearer: world.key })).toBe(1002);
    expect(await codeOf({ path: '/admin/live' })).toBe(1003);
  });

  test('an account has eight at most; the next is told to wait', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ready()));
    const stop = new AbortController();
    const refused = await fetch(`${world.url}/api/v1/user/user/live`, {
      signal: stop.signal,
      headers: { authorization: `Bearer ${token}` },
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 1006, data: null });
    await all[0]?.close();
    // The place is free again, and the platform still answers everything else.
    await until(async () => (await watch()).status === 200);
    expect((await world.api('GET', '/ext', { token })).status).toBe(200);
  });

  test('ends with its session, wherever that was ended', async () => {
    const own = await world.login('user@example.com');
    const stream = await ready({ url: second.url, bearer: own });
    await world.api('POST', '/api/v1/user/auth/logout', { token: own });
    await until(() => stream.ended);
    expect(stream.events.at(-1)).toMatchObject({ name: 'session-ended' });
  });

  test('stays when the database is away, says so, and loses nothing', async () => {
    const stream = await ready({ url: second.url });
    way.cut();
    await until(() => stream.of('stale').length === 1);
    const id = await call();
    await world.settled();
    way.mend();
    await until(() => stream.of('fresh').length === 1 && stream.calls.includes(id));
    expect(stream.calls).toEqual([id]);
  });

  test('HEAD has the head alone', async () => {
    const response = await fetch(`${world.url}/api/v1/user/user/live`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });

  test('new calls are found by the index of their numbers, however many there are', async () => {
    const { database } = world;
    await database.transaction(async (transaction) => {
      await transaction.query(
        `insert into calls select nextval('calls_id_seq'), call_id || '-' || copy, created_at, 1 + copy % 7,
           key_id, key_name, model_asked, model_used, route_id, vendor, protocol_in, protocol_out, stream, status,
           error_code, input_fresh, cache_read, cache_write, output_text, output_reasoning, images, videos,
           estimated, payer, price, amount_micro, charge_micro, free_reason, verdict, attempts, held_micro,
           ttfb_ms, duration_ms, dropped_fields
         from (select * from calls limit 1) as one cross join generate_series(1, 20000) as copy`,
      );
      await transaction.query('analyze calls');
      const [{ last = 0 } = {}] = await transaction.query<{ last: number }>(
        'select max(id)::int as last from calls',
      );
      for (const accounts of [null, [1, 2]]) {
        const plan = await transaction.query<Record<string, string>>(`explain ${CALLS_AFTER}`, [
          ...[last - 2_000, accounts, [last - 1], 501],
        ]);
        const text = plan.map((row) => Object.values(row)[0]).join('\n');
        expect(text).toMatch(/Index Scan using calls_\w*id_account_id_idx/);
        expect(text).not.toMatch(/Seq Scan on calls/);
      }
      await transaction.query("delete from calls where call_id like '%-%'");
    });
  });

  test('ends when the process drains, and the drain does not wait for it', async () => {
    const stream = await ready({ url: second.url });
    await second.stop();
    await until(() => stream.ended);
  });
});
