import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Gate } from '../../src/gate/contract.ts';
import { createMemoryGate } from '../../src/gate/memory.ts';
import { connectRedis, type RedisConnection } from '../../src/gate/redis/connect.ts';
import { createRedisGate, type RedisGate } from '../../src/gate/redis/gate.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { ManualClock } from '../../src/kernel/time/clock.ts';
import { needs, REDIS } from '../needs.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { type Books, MemoryBooks, PostgresBooks } from './books.ts';
import { FileLedger, QuickLedger } from './ledgers.ts';
import { isOverrun } from './model-call.ts';
import { Play } from './play.ts';
import { anyStep, BEGIN_MS, type Step } from './steps.ts';
import { System } from './system.ts';

/** `npm run prove` asks for a hundred times as many. A failure prints seed and path, which replay it. */
const RUNS = Number(process.env.TEST_MODEL_RUNS ?? 1_000);
const REAL_RUNS = Math.max(12, Math.floor(RUNS / 500));
/** On average; a failing run is shrunk to the few that matter. */
const STEPS = 50;
/** Whoever only wants to know that it fails need not wait for the shortest way to it. */
const endOnFailure = process.env.TEST_MODEL_QUICK !== undefined;
const PATIENCE_MS = 60_000 + RUNS * 60;

const steps = fc.array(anyStep, { minLength: 1, maxLength: STEPS * 2, size: 'max' });

/** Money of its own to begin with: an empty account refuses everything. */
const OPENING: readonly Step[] = [
  { kind: 'top-up', pool: 'credits', micro: 20_000_000n },
  { kind: 'top-up', pool: 'balance', micro: 9_999n },
];

interface Counts {
  runs: number;
  steps: number;
  calls: number;
  shortfalls: number;
}

async function playAll(play: Play, script: readonly Step[], counts: Counts): Promise<void> {
  for (const step of OPENING) await play.take(step);
  for (const step of script) await play.take(step);
  await play.finish();
  counts.runs += 1;
  counts.steps += script.length;
  counts.calls += play.reference.calls.length;
  counts.shortfalls += play.reference.calls.filter((call) => call.paidMicro < call.chargeMicro).length;
}

/** What a ledger says to the gate of the moment. */
const tellingTo = (gate: () => Gate): Pick<Gate, 'settled' | 'covers'> => ({
  settled: (account) => gate().settled(account),
  covers: (overrun) => gate().covers(overrun),
});

/** Random runs found these once. */
const FOUND: readonly (readonly Step[])[] = [
  // An overrun took what a call of the same past month held under its cap.
  [
    { kind: 'cap', micro: 6_000n },
    { kind: 'begin', model: 0, input: 0, most: 5 },
    { kind: 'begin', model: 1, input: 0, most: 90 },
    { kind: 'produce', which: 0, tokens: 80, marked: false },
    { kind: 'end', which: 0, verdict: 'complete' },
    { kind: 'produce', which: 0, tokens: 80, marked: false },
    { kind: 'next-month' },
    { kind: 'begin', model: 0, input: 0, most: 5 },
    { kind: 'settle' },
  ],
  // The charge of a past month counted under the cap of the next one, and its call waited for nothing.
  [
    { kind: 'cap', micro: 20_000n },
    { kind: 'begin', model: 0, input: 0, most: 5 },
    { kind: 'next-month' },
    { kind: 'begin', model: 0, input: 0, most: 5 },
    { kind: 'begin', model: 0, input: 0, most: 5 },
    { kind: 'begin', model: 0, input: 0, most: 5 },
    { kind: 'produce', which: 0, tokens: 80, marked: false },
    { kind: 'produce', which: 1, tokens: 80, marked: false },
    { kind: 'produce', which: 2, tokens: 80, marked: false },
    { kind: 'end', which: 0, verdict: 'complete' },
    { kind: 'end', which: 0, verdict: 'complete' },
    { kind: 'end', which: 0, verdict: 'complete' },
    { kind: 'top-up', pool: 'credits', micro: 90_000_000n },
    { kind: 'settle' },
  ],
];

const EXAMPLES = FOUND.map((script) => [[...script]] as [Step[]]);

const noCounts = (): Counts => ({ runs: 0, steps: 0, calls: 0, shortfalls: 0 });

function tell(name: string, { runs, steps: taken, calls, shortfalls }: Counts): void {
  const size = `${runs} runs x ${STEPS} steps`;
  console.log(`proof | model-based, ${name} | ${size} | ${taken} steps, ${calls} calls, ${shortfalls} short`);
}

test(
  `gate and books follow the rules of money after any ${STEPS} steps, in memory`,
  async () => {
    const counts = noCounts();
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const clock = new ManualClock(BEGIN_MS);
        const books = new MemoryBooks();
        const ledger = new QuickLedger({ store: books, ...tellingTo(() => system.gate) });
        const system = new System({ clock, books, ledger, openGate: () => createMemoryGate({ clock }) });
        const advance = (ms: number): void => clock.advance(ms);
        await playAll(
          new Play({ system, books, ledger, clock, gateKind: 'forgets', advance }),
          script,
          counts,
        );
      }),
      { numRuns: RUNS, endOnFailure, examples: EXAMPLES },
    );
    expect(counts.calls).toBeGreaterThan(counts.runs * 3);
    expect(counts.shortfalls).toBeGreaterThan(0);
    tell('memory', counts);
  },
  PATIENCE_MS,
);

/** Nobody gives or takes anything but calls, and the balance counts from the beginning. */
const LIVING: readonly Step['kind'][] = [
  ...(['begin', 'produce', 'extend', 'rehold', 'end', 'release', 'settle', 'advance', 'restart'] as const),
];
const callSteps = fc.array(
  anyStep.filter(({ kind }) => LIVING.includes(kind)),
  { minLength: 1, maxLength: STEPS * 2, size: 'max' },
);

test(
  'overruns of holds are paid whenever the funds pay for all calls: the shortfall is what they lack',
  async () => {
    const counts = noCounts();
    const funds = fc.record({ credits: fc.bigInt(1_000_000n, 60_000_000n), balance: fc.bigInt(1n, 60_000n) });
    await fc.assert(
      fc.asyncProperty(callSteps, funds, async (script, { credits, balance }) => {
        const clock = new ManualClock(BEGIN_MS);
        const books = new MemoryBooks();
        const ledger = new QuickLedger({ store: books, ...tellingTo(() => system.gate) });
        const system = new System({ clock, books, ledger, openGate: () => createMemoryGate({ clock }) });
        const advance = (ms: number): void => clock.advance(ms);
        const play = new Play({ system, books, ledger, clock, gateKind: 'forgets', advance });
        await play.take({ kind: 'top-up', pool: 'credits', micro: credits });
        await play.take({ kind: 'top-up', pool: 'balance', micro: balance });
        await play.take({ kind: 'auto-exchange', on: true });
        for (const step of script) await play.take(step);
        await play.finish();
        const { calls } = play.reference;
        const owedMicro = calls.reduce((sum, call) => sum + call.chargeMicro, 0n);
        const paidMicro = calls.reduce((sum, call) => sum + call.paidMicro, 0n);
        const fundsMicro = credits + balance * 1_000n;
        expect(paidMicro).toBe(owedMicro < fundsMicro ? owedMicro : fundsMicro);
        counts.runs += 1;
        counts.calls += calls.length;
        counts.shortfalls += calls.filter((call) => call.paidMicro < call.chargeMicro).length;
        counts.steps += calls.filter(isOverrun).length;
      }),
      { numRuns: RUNS / 2, endOnFailure },
    );
    expect(counts.steps).toBeGreaterThan(counts.runs / 10);
    const { runs, calls, steps: overruns, shortfalls } = counts;
    console.log(
      `proof | overruns are paid | ${runs} runs | ${calls} calls, ${overruns} above their holds, ${shortfalls} short`,
    );
  },
  PATIENCE_MS,
);

test(
  'journal on disk and PostgreSQL follow the same rules',
  async () => {
    const counts = noCounts();
    const fresh = await freshDatabase();
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const clock = new ManualClock(BEGIN_MS);
        const books = await PostgresBooks.open(fresh.database);
        const ledger = await FileLedger.open({ store: books, ...tellingTo(() => system.gate) });
        const system = new System({ clock, books, ledger, openGate: () => createMemoryGate({ clock }) });
        const advance = (ms: number): void => clock.advance(ms);
        try {
          const play = new Play({ system, books, ledger, clock, gateKind: 'forgets', advance });
          await playAll(play, script, counts);
        } finally {
          await ledger.close();
        }
      }),
      { numRuns: REAL_RUNS, examples: EXAMPLES },
    );
    await fresh.drop();
    tell('PostgreSQL and journal', counts);
  },
  PATIENCE_MS,
);

/** A living process renews its leases at least this often. */
const RENEWED_EVERY_MS = 30_000;
let redis: TestRedis;
let connection: RedisConnection;
let gates = 0;

test('the gate on Redis, which outlives its process, follows the same rules', {
  ...needs(REDIS),
  timeout: PATIENCE_MS,
}, async () => {
  redis = await startRedis();
  connection = await connectRedis(redis.url, silentLogger, 10_000);
  const counts = noCounts();
  await fc.assert(
    fc.asyncProperty(steps, (script) => playOnRedis(script, counts)),
    { numRuns: REAL_RUNS * 4, examples: EXAMPLES },
  );
  tell('Redis', counts);
});
afterAll(async () => {
  connection?.close();
  await redis?.close();
});

async function playOnRedis(script: readonly Step[], counts: Counts): Promise<void> {
  const clock = new ManualClock(BEGIN_MS);
  const books: Books = new MemoryBooks();
  const opened: RedisGate[] = [];
  gates += 1;
  const prefix = `model-${gates}:`;
  const openGate = (): RedisGate => {
    const serverTimeMs = (): number => clock.now();
    // A dead process renews nothing.
    void opened.at(-1)?.close();
    const gate = createRedisGate({
      client: connection.client,
      clock,
      log: silentLogger,
      prefix,
      serverTimeMs,
    });
    opened.push(gate);
    return gate;
  };
  const ledger = await FileLedger.open({ store: books, ...tellingTo(() => system.gate) });
  const system = new System({ clock, books, ledger, openGate });
  const advance = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= RENEWED_EVERY_MS) {
      // A month in steps of half a minute would take all day: the last minutes of it are enough.
      if (leftMs > 10 * RENEWED_EVERY_MS) {
        clock.advance(leftMs - 10 * RENEWED_EVERY_MS);
        leftMs = 10 * RENEWED_EVERY_MS;
      }
      clock.advance(Math.min(leftMs, RENEWED_EVERY_MS));
      await opened.at(-1)?.renew();
    }
  };
  try {
    await playAll(new Play({ system, books, ledger, clock, gateKind: 'outlives', advance }), script, counts);
  } finally {
    await ledger.close();
    await opened.at(-1)?.close();
  }
}
