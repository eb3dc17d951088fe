import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TruthCall } from '../../sim/truth.ts';
import { sleep, until } from '../support/processes.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { type Form, SURFACES, type Surface } from './surfaces.ts';
import { dial, exchange, receive, requestBytes } from './wire.ts';

const STALL_MS = 1_500;
const KEEP_ALIVE_MS = 1_000;
/** The vendor must see a client's leaving within this. */
const MIB = 1024 * 1024;

/** It does not reason out of sight, so its vendor is left at once. */
const QUICK_MODEL = `models:
  - model_id: gpt-4o
    prices: { input: "10", output: "30" }
    routes: [{ vendor: openai, credential: openai-main, protocols: [chat] }]
`;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    catalog: STANDARD_CATALOG.replace('models:\n', QUICK_MODEL),
    environment: {
      TOLLGATE_CLIENT_STALL_MS: String(STALL_MS),
      TOLLGATE_KEEP_ALIVE_MS: String(KEEP_ALIVE_MS),
    },
  });
});
afterAll(() => world.close());

function open(surface: Surface, directive: string, form: Form = 'stream', more: object = {}): Socket {
  const socket = dial(world.url);
  socket.on('error', () => socket.destroy());
  const body = JSON.stringify({
    ...surface.body(surface.model, `hello [[sim ${directive}]]`, form),
    ...more,
  });
  socket.write(requestBytes({ path: surface.path(surface.model, form), headers: world.headers(), body }));
  return socket;
}

/** Reads until so many lines with text came; answers how many there were. */
async function readEvents(socket: Socket, count: number): Promise<number> {
  let seen = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    seen += chunk.toString();
    if ((seen.match(EVENT)?.length ?? 0) >= count) break;
  }
  return seen.match(EVENT)?.length ?? 0;
}

/** One piece of text, in whatever protocol. */
const EVENT = /"content":"[^"]|"delta":"[^"]|"text_delta"|"text": "[^"]/g;

async function rowOf(tag: string): Promise<Record<string, unknown> | undefined> {
  await world.settled();
  const rows = await world.database.query<Record<string, unknown>>(
    `select verdict, status, input_fresh::int as input, (output_text + output_reasoning)::int as output,
            estimated, amount_micro, model_asked
     from calls order by created_at desc limit 1`,
  );
  expect(world.simulator.truth.list(tag).length).toBeLessThanOrEqual(1);
  return rows[0];
}

async function abortSeen(tag: string): Promise<TruthCall> {
  await until(() => world.simulator.truth.find(tag)?.finished !== 'running');
  const call = world.simulator.truth.find(tag);
  if (call === undefined) throw new Error(`the vendor never heard of ${tag}`);
  expect(call.finished).toBe('aborted-by-client');
  return call;
}

describe.each(SURFACES)('a client of $name that leaves', (surface) => {
  async function leaveEarly(form: Form): Promise<Record<string, unknown> | undefined> {
    const tag = `early-${surface.name}-${form}`;
    const socket = open(surface, `tag=${tag} delay=8000`, form);
    await until(() => world.simulator.truth.find(tag) !== undefined);
    socket.destroy();
    await abortSeen(tag);
    return rowOf(tag);
  }

  test('before the first event of a stream pays nothing', async () => {
    const row = await leaveEarly('stream');
    expect(row).toMatchObject({
      verdict: 'cut-by-client',
      status: 499,
      input: 0,
      output: 0,
      amount_micro: 0n,
    });
  });

  test('while a plain answer is made pays for its input, which is counted', async () => {
    const row = await leaveEarly('plain');
    expect(row).toMatchObject({ verdict: 'cut-by-client', status: 499, output: 0, estimated: true });
    expect(row?.input).toBeGreaterThan(0);
    expect(row?.amount_micro).toBeGreaterThan(0n);
  });

  test.each([1, 4, 15])('after event %i stops the vendor and pays for what was produced', async (index) => {
    const tag = `mid-${surface.name}-${index}`;
    // Most of these models reason out of sight: their vendors are read on, but not to the end.
    const socket = open(surface, `tag=${tag} tokens=2000 pace=10`);
    const delivered = await readEvents(socket, index);
    socket.destroy();
    const call = await abortSeen(tag);
    const row = await rowOf(tag);
    expect(row).toMatchObject({ verdict: 'cut-by-client', status: 200 });
    expect(row?.output).toBeGreaterThanOrEqual(delivered);
    expect(row?.output).toBeLessThanOrEqual(call.outputTokens);
    expect(call.outputTokens).toBeLessThan(2000);
  });

  test('after the last token pays for all of it, once', async () => {
    const tag = `late-${surface.name}`;
    const socket = open(surface, `tag=${tag} tokens=20`);
    await readEvents(socket, 20);
    socket.destroy();
    expect((await rowOf(tag))?.output).toBe(20);
  });

  test('with a half-closed connection after the request is served, or closed, but never kept', async () => {
    const tag = `half-${surface.name}`;
    const socket = open(surface, `tag=${tag} tokens=5 pace=10`);
    socket.end();
    const answer = await receive(socket);
    expect(answer.ending).not.toBe('silence');
    const row = await rowOf(tag);
    if (answer.ending === 'whole') expect(row).toMatchObject({ verdict: 'complete', output: 5 });
    else expect(row?.verdict ?? 'cut-by-client').toBe('cut-by-client');
  });

  test('gets signs of life of the vendor, in its own form and between events', async () => {
    const body = JSON.stringify(
      surface.body(surface.model, `[[sim tokens=12 fault=pause@6:${KEEP_ALIVE_MS * 3}]]`, 'stream'),
    );
    const path = surface.path(surface.model, 'stream');
    const answer = await exchange(world.url, { path, headers: world.headers(), body });
    expect(answer.ending).toBe('whole');
    expect(answer.text).toMatch(KEEP_ALIVE_FORMS[surface.name]);
    expect(surface.read(answer.text)).toMatchObject({ errors: 0, terminators: 1, tokens: 12 });
  });
});

/** Each between the end of one event and the beginning of the next. */
const KEEP_ALIVE_FORMS: Readonly<Record<Surface['name'], RegExp>> = {
  chat: /\n\n: keep-alive\n\ndata: /,
  responses: /\n\nevent: keepalive\ndata: \{"type":"keepalive"\}\n\n(event|:)/,
  messages: /\n\nevent: ping\ndata: \{"type":"ping"\}\n\nevent: /,
  gemini:
    /\r\n\r\n(data: \{"candidates":\[\{"content":\{"parts":\[\{"text":""\}\],"role":"model"\},"index":0\}\]\}\n\n)+data: /,
  'gemini-array': /\}\n+\n,\r\n\{/,
};

const CHAT = SURFACES[0] as Surface;

test('a slow reader slows the vendor down instead of filling memory', async () => {
  const socket = open(CHAT, 'tag=slow tokens=400000');
  const { bytesWritten } = world.simulator.stats;
  let read = 0;
  const take = (): number => (socket.read() as Buffer | null)?.length ?? 0;
  // The simulator lives here too, and what it is going to say is its own memory. Who did not read at all
  // meanwhile would be cut before he is slow.
  await until(() => {
    read += take();
    return world.simulator.stats.blocked === 1;
  });
  const rssBefore = process.memoryUsage().rss;
  for (let turn = 0; turn < 20; turn++) {
    await sleep(100);
    read += take();
  }
  const sent = world.simulator.stats.bytesWritten - bytesWritten;
  const grownMib = (process.memoryUsage().rss - rssBefore) / MIB;
  console.info(
    `slow reader: vendor wrote ${sent}, client read ${read} bytes, memory grew ${grownMib.toFixed(1)} MiB`,
  );
  expect(read).toBeGreaterThan(0);
  // What is neither read nor written rests in the buffers of three sockets.
  expect(sent - read).toBeLessThan(16 * MIB);
  expect(grownMib).toBeLessThan(50);
  socket.destroy();
  await abortSeen('slow');
});

test('a client that never reads is cut, and pays for what was produced', async () => {
  const socket = open(CHAT, 'tag=deaf tokens=400000');
  socket.pause();
  await until(() => world.simulator.truth.find('deaf')?.finished === 'aborted-by-client');
  const row = await rowOf('deaf');
  expect(row?.verdict).toBe('cut-by-client');
  expect(row?.output).toBeGreaterThan(0);
  expect(row?.output).toBeLessThanOrEqual(world.simulator.truth.find('deaf')?.outputTokens ?? 0);
  socket.destroy();
});

test('a thousand abandoned streams leave no slot, socket, timer or listener behind', async () => {
  await world.settled();
  const resources = (): number => process.getActiveResourcesInfo().length;
  const leave = async (): Promise<void> => {
    // A small hold each, so that the account can pay for all of them at once.
    const more = { model: 'gpt-4o', max_completion_tokens: 1000 };
    const socket = open(CHAT, 'tokens=1000 pace=20', 'stream', more);
    expect(await readEvents(socket, 1)).toBeGreaterThan(0);
    socket.destroy();
  };
  for (let round = 0; round < 2; round++) await Promise.all(Array.from({ length: 25 }, leave));
  await until(() => world.simulator.stats.open === 0);
  const before = { resources: resources(), sockets: world.simulator.stats.sockets.size };
  for (let round = 0; round < 40; round++) await Promise.all(Array.from({ length: 25 }, leave));
  await until(() => world.simulator.stats.open === 0);
  await world.settled();
  await until(() => world.simulator.stats.sockets.size <= before.sockets + 2);
  await until(() => resources() <= before.resources + 5);
  console.info(`after 1,000 left streams: ${resources()} resources, ${before.resources} before`);
});
