import { expect, vi } from 'vitest';
import { getDialect } from '../../src/protocol/registry.ts';
import { until } from '../support/processes.ts';
import type { TestRedis } from '../support/redis.ts';
import { startWorld, type World } from '../support/world.ts';
import { endOne, LIMITS, slotsCatalog, WAYS, type Way } from './endings.ts';
import { expectExactly } from './exactly.ts';

/** `npm run prove` asks for ten thousand. */
const CALLS = Number(process.env.TEST_SLOT_CALLS ?? 2_000);
const SHARES = WAYS.reduce((sum, { share }) => sum + share, 0);
/** As many as there are slots: whoever leaks one starves the others at once. */
const SLOTS = 48;
const FREE_MS = 5_000;
export const PATIENCE_MS = 300_000 + CALLS * 60;
const BUSY = 42901;
const TRIES_MAX = 500;

/** The answers of one model cannot be written down: our own code throws in the middle of a stream. */
function breakEncoder(): void {
  const dialect = getDialect('chat');
  const original = dialect.relayStream.bind(dialect);
  vi.spyOn(dialect, 'relayStream').mockImplementation((framing, facts, modelId) => {
    const relay = original(framing, facts, modelId);
    if (modelId !== 'encoder-throws') return relay;
    const push = relay.push.bind(relay);
    let pushes = 0;
    const failing: typeof push = (chunk) => {
      pushes += 1;
      if (pushes > 3) throw new Error('planned fault of the encoder');
      return push(chunk);
    };
    return Object.assign(relay, { push: failing });
  });
}

interface Tally {
  readonly ends: Map<string, number>;
  busy: number;
}

/** The ways mixed, in an order that is the same every time. */
function mixed(): Way[] {
  const all = WAYS.flatMap((way) => {
    const count = Math.max(1, Math.round((way.share * CALLS) / SHARES));
    return Array.from({ length: count }, (_, index) => ({ way, at: (index + 0.5) / count }));
  });
  return all.toSorted((one, other) => one.at - other.at).map(({ way }) => way);
}

async function endAll(at: World, key: string): Promise<Tally> {
  const waiting = mixed();
  const tally: Tally = { ends: new Map(), busy: 0 };
  const worker = async (): Promise<void> => {
    for (let way = waiting.shift(); way !== undefined; way = waiting.shift()) {
      let seen = await endOne(at, key, way);
      // Who leaves first is not noticed at once, so that a place may come free a moment later.
      for (let tries = 0; seen.code === BUSY && tries < TRIES_MAX; tries++) {
        tally.busy += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen = await endOne(at, key, way);
      }
      const end = `${way.name} ${seen.code ?? seen.status}`;
      tally.ends.set(end, (tally.ends.get(end) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, worker));
  return tally;
}

/** All ways, mixed, on a world of its own; then nothing may be in use. */
export async function proveSlots(redis?: TestRedis): Promise<void> {
  const shared: Record<string, string> = redis === undefined ? {} : { REDIS_URL: redis.url };
  const world = await startWorld({ catalog: slotsCatalog(SLOTS), environment: { ...LIMITS, ...shared } });
  try {
    await prove(world, redis);
  } finally {
    vi.restoreAllMocks();
    await world.close();
  }
}

async function prove(world: World, redis: TestRedis | undefined): Promise<void> {
  const key = await world.newKey('user@example.com', { policyId: 2 });
  breakEncoder();
  const { ends, busy } = await endAll(world, key);
  const lastAt = performance.now();
  await until(async () => /^tollgate_active_calls 0$/m.test(await world.figures()), FREE_MS);
  const freeMs = performance.now() - lastAt;
  if (redis !== undefined) {
    const names = await redis.inspect.keys('*:slots:*');
    expect(names.length).toBeLessThanOrEqual(1);
    for (const slots of names) expect(await redis.inspect.zcard(slots)).toBe(0);
  }
  // Each way really ended as it is called.
  expect(ends.get('ok 200')).toBeGreaterThan(0);
  expect([...ends.keys()].filter((end) => end.startsWith('refused-4xx'))).toEqual(['refused-4xx 400']);
  expect([...ends.keys()].filter((end) => end.startsWith('times-out'))).toEqual(['times-out 50401']);
  expect([...ends.keys()].filter((end) => end.endsWith(String(BUSY)))).toEqual([]);
  await world.settled();
  expect(await verdicts(world)).toMatchObject(VERDICTS);
  await expectExactly({ url: world.url, key, limit: SLOTS, simulator: world.simulator });
  const calls = [...ends.values()].reduce((sum, count) => sum + count, 0);
  const result = `0 in use after ${Math.round(freeMs)} ms, then exactly ${SLOTS} at once; ${busy} waits`;
  const name = redis === undefined ? 'memory' : 'Redis';
  console.log(`proof | slots, ${name} | ${calls} calls, ${WAYS.length} ways | ${result}`);
}

/** As the call log tells it. */
const VERDICTS = {
  ok: ['complete'],
  'failed-5xx': ['failed'],
  'left-at-first': ['cut-by-client'],
  'left-midway': ['cut-by-client'],
  'vendor-stalls': ['cut-by-upstream'],
  'stops-reading': ['cut-by-client'],
  'encoder-throws': ['cut-by-gateway'],
};

async function verdicts({ database }: World): Promise<Record<string, readonly string[]>> {
  const rows = await database.query<{ model: string; verdicts: readonly string[] }>(
    `select model_asked as model, array_agg(distinct verdict) as verdicts from calls
     where error_code is distinct from $1 group by model_asked`,
    [BUSY],
  );
  return Object.fromEntries(rows.map((row) => [row.model, row.verdicts]));
}
