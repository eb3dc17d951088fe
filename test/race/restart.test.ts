import { expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { needs, REDIS } from '../needs.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { makePlace, type ServerProcess, sleep, startServerProcess, until } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { RACE_CATALOG } from './catalog.ts';
import { type Answered, ask, openWallet, type WalletOptions } from './wallet.ts';

/** Each lets exactly six calls of two hundred tokens pass in an hour. */
const RICH = { credits: 1_000_000 };
const WINDOWS = {
  requests: { wallet: { ...RICH, policyId: 10 }, code: 42902 },
  tokens: { wallet: { ...RICH, policyId: 11 }, code: 42903 },
  amount: { wallet: { ...RICH, policyId: 12 }, code: 42902 },
  coverage: { wallet: { ...RICH, plan: 'SIX', apiBilling: false }, code: 42902 },
} as const satisfies Record<string, { readonly wallet: WalletOptions; readonly code: number }>;
const LIMIT = 6;
const BEFORE = 3;
const WINDOW_MS = 3_600_000;
const SECOND_MS = 1_000;
const TOKENS = 200;
/** Micro-yuan of one call. */
const AMOUNT = TOKENS * 100;

/** A key and its window: when it began at the earliest and at the latest, by the wall. */
interface Watched {
  readonly name: keyof typeof WINDOWS;
  readonly key: string;
  readonly sentAtMs: number;
  readonly begunByMs: number;
}

/** A server that dies and comes back, with the vendors and the database that outlive it. */
class Stage {
  readonly fresh: FreshDatabase;
  readonly simulator: Simulator;
  readonly #environment: Readonly<Record<string, string>>;
  #server: ServerProcess | undefined;

  constructor(fresh: FreshDatabase, simulator: Simulator, environment: Readonly<Record<string, string>>) {
    this.fresh = fresh;
    this.simulator = simulator;
    this.#environment = environment;
  }

  async start(): Promise<void> {
    this.#server = await startServerProcess(this.#environment);
  }

  async kill(): Promise<void> {
    this.#server?.kill('SIGKILL');
    await this.#server?.exited;
  }

  next(key: string, words = ''): Promise<Answered> {
    const directive = `tag=${key.slice(-12)} tokens=${TOKENS} ${words}`;
    return ask({ url: this.#server?.url ?? '' }, { key, max: TOKENS, directive });
  }

  /** What all calls of the key came to, by the vendor's word. */
  usedOf({ name, key }: Watched): number {
    const calls = this.simulator.truth.list(key.slice(-12));
    if (name === 'requests') return calls.length;
    if (name !== 'tokens') return calls.length * AMOUNT;
    return calls.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  }
}

async function begin(stage: Stage, name: keyof typeof WINDOWS): Promise<Watched> {
  const { key } = await openWallet(stage.fresh, WINDOWS[name].wallet);
  const sentAtMs = Date.now();
  expect((await stage.next(key)).status).toBe(200);
  const begunByMs = Date.now();
  for (let calls = 1; calls < BEFORE; calls++) expect((await stage.next(key)).status).toBe(200);
  return { name, key, sentAtMs, begunByMs };
}

async function expectExactRest(stage: Stage, watched: Watched): Promise<void> {
  const { name, key } = watched;
  for (let calls = BEFORE; calls < LIMIT; calls++) {
    const { status, text } = await stage.next(key);
    expect([name, calls, status], text).toEqual([name, calls, 200]);
  }
  const refused = await stage.next(key);
  expect([name, refused.code]).toEqual([name, WINDOWS[name].code]);
  const told = refused.headers.get('x-tollgate-limit') ?? '';
  expect(Number(/used=(\d+)/.exec(told)?.[1]), `${name}: ${told}`).toBe(stage.usedOf(watched));
}

/**
 * The end that the window had before the restart. It is told in whole seconds, rounded up: where one second
 * turns into the next it is known to some milliseconds. Answers how wide the guess is.
 */
async function expectSameEnd(stage: Stage, { name, key, sentAtMs, begunByMs }: Watched): Promise<number> {
  let earliest = 0;
  let latest = Number.POSITIVE_INFINITY;
  const until = performance.now() + SECOND_MS * 1.2;
  while (performance.now() < until) {
    const askedAtMs = Date.now();
    const { headers } = await stage.next(key);
    const resetMs = Number(/reset=(\d+)/.exec(headers.get('x-tollgate-limit') ?? '')?.[1]) * SECOND_MS;
    earliest = Math.max(earliest, askedAtMs + resetMs - SECOND_MS);
    latest = Math.min(latest, Date.now() + resetMs);
    await sleep(10);
  }
  expect(earliest, name).toBeLessThanOrEqual(begunByMs + WINDOW_MS);
  expect(latest, name).toBeGreaterThanOrEqual(sentAtMs + WINDOW_MS);
  return latest - earliest;
}

async function playRestart(stage: Stage): Promise<string> {
  await stage.start();
  const names = Object.keys(WINDOWS) as (keyof typeof WINDOWS)[];
  const watched = await Promise.all(names.map((name) => begin(stage, name)));
  // One more call runs when the process dies: it was admitted, and it counts.
  const { key } = await openWallet(stage.fresh, WINDOWS.requests.wallet);
  const running = stage.next(key, 'delay=30000').catch(() => undefined);
  await until(() => stage.simulator.stats.open > 0);
  await stage.kill();
  await running;
  await stage.start();
  await Promise.all(watched.map((one) => expectExactRest(stage, one)));
  for (let calls = 1; calls < LIMIT; calls++) expect((await stage.next(key)).status).toBe(200);
  expect((await stage.next(key)).code).toBe(42902);
  const widths = await Promise.all(watched.map((one) => expectSameEnd(stage, one)));
  return `same counts, same end within ${Math.max(...widths)} ms`;
}

const GATES = { memory: {}, Redis: needs(REDIS) };

// Mostly waiting for servers to start, so both gates wait together.
for (const [gate, options] of Object.entries(GATES)) {
  test.concurrent(`counts, limits and ends of windows are the same after kill -9, gate: ${gate}`, {
    ...options,
    timeout: 300_000,
  }, async () => {
    const simulator = await startSimulator();
    const fresh = await freshDatabase();
    const place = await makePlace(RACE_CATALOG, simulator.url);
    const redis = gate === 'Redis' ? await startRedis() : undefined;
    const shared = redis === undefined ? {} : { REDIS_URL: redis.url };
    const environment = { ...place.environment, DATABASE_URL: fresh.connection, ...shared };
    const stage = new Stage(fresh, simulator, environment);
    try {
      const result = await playRestart(stage);
      const size = `${Object.keys(WINDOWS).length} windows, ${BEFORE} of ${LIMIT} calls before kill -9`;
      console.log(`proof | restart forgets no window, ${gate} | ${size} | ${result}`);
    } finally {
      await stage.kill();
      await redis?.close();
      await simulator.close();
      await fresh.drop();
      await place.remove();
    }
  });
}
