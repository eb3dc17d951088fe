import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../src/kernel/time/clock.ts';
import { PromptCache } from './answer/prompt-cache.ts';
import { DEFAULT_KEYS, type Keys } from './authorize.ts';
import { Batches } from './batches/batches.ts';
import { CLOSE_WAIT_MS } from './bounds.ts';
import { CloudState } from './cloud/state.ts';
import type { Quirks } from './compatible/quirks.ts';
import { answerControl, isControl } from './control.ts';
import { Exchange } from './exchange.ts';
import { handle } from './handle.ts';
import { Videos } from './openai-videos/videos.ts';
import { type Rule, Script } from './script.ts';
import { Stats } from './stats.ts';
import { Truth, type TruthCall } from './truth.ts';
import { forget, type World } from './world.ts';

export interface SimulatorOptions {
  /** 0 or left out: any free port. */
  readonly port?: number;
  readonly keys?: Partial<Keys>;
  /** Milliseconds between tokens when the directive says nothing; 0 is as fast as the socket takes them. */
  readonly paceMs?: number;
  readonly clock?: Clock;
  /** A vendor that imitates OpenAI's Chat Completions, at any base address, with the key of OpenAI. */
  readonly compatible?: Quirks;
}

export interface Simulator {
  /** `http://127.0.0.1:PORT`; OpenAI's base address is this and `/v1`. */
  readonly url: string;
  readonly port: number;
  readonly truth: Truth;
  readonly stats: Stats;
  /** The customer of the simulated clouds: its keys, and the tokens that it got. */
  readonly clouds: CloudState;
  /** The videos that were created, and what becomes of them. */
  readonly videos: Videos;
  /** The batches and files that were created, and what they really used. */
  readonly batches: Batches;
  script(rule: Rule): void;
  /** Forgets truth, rules, counters and videos. */
  reset(): void;
  close(): Promise<void>;
}

/** The gateway's pool may hold a socket for long; a vendor that closes it early is a fault of its own. */
const KEEP_ALIVE_MS = 75_000;

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const world: World = {
    keys: { ...DEFAULT_KEYS, ...options.keys },
    paceMs: options.paceMs ?? 0,
    compatible: options.compatible,
    clock: options.clock ?? systemClock,
    truth: new Truth(),
    rules: new Script(),
    prompts: new PromptCache(),
    clouds: new CloudState(options.clock ?? systemClock),
    stats: new Stats(),
    videos: new Videos(options.clock ?? systemClock),
    batches: new Batches(options.clock ?? systemClock),
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    void serve(world, request, response);
  });
  server.on('connection', (socket) => {
    socket.setNoDelay();
    world.stats.connected(socket);
  });
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    truth: world.truth,
    stats: world.stats,
    clouds: world.clouds,
    videos: world.videos,
    batches: world.batches,
    script: (rule) => world.rules.add(rule),
    reset: () => forget(world),
    close: () => close(server),
  };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  if (isControl(url.pathname)) return answerControl(world, request, response);
  world.stats.began();
  // A call is open until its last byte has left, not only until it was handed over.
  response.once('close', () => world.stats.ended());
  const call = newCall(world, request, url);
  world.truth.record(call);
  const exchange = new Exchange(response, call, world.stats, world.clock);
  try {
    await handle(world, { request, url, exchange });
  } catch (error) {
    // A broken simulator must not look like a faulty vendor: say it loudly.
    console.error('simulator failed', request.url, error);
    response.destroy();
  } finally {
    exchange.finish(call.status >= 400 ? 'refused' : 'complete');
  }
}

function newCall(world: World, request: IncomingMessage, url: URL): TruthCall {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    sequence: world.stats.requests,
    tag: '',
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.search,
    model: '',
    key: '',
    stream: 'plain',
    status: 0,
    inputTokens: 0,
    cacheRead: 0,
    cacheWrite: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    plannedOutputTokens: 0,
    said: undefined,
    images: 0,
    finished: 'running',
    events: 0,
    startedAtMs: world.clock.now(),
    endedAtMs: undefined,
    headerNames: request.rawHeaders.filter((_, index) => index % 2 === 0),
    headers,
    bodyBytes: 0,
    bodySha256: '',
    responseId: '',
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WAIT_MS);
  await closed;
  clearTimeout(timer);
}
