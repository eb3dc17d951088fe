import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SETTLE_BUSY_CALLS, SETTLE_BUSY_WAIT_MS, SETTLE_POSTPONED_MAX, SETTLE_WAIT_MS } from '../bounds.ts';
import type { Overrun, SettledCalls } from '../gate/contract.ts';
import { planFaults } from '../kernel/fault.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { CallRecord } from './contract.ts';
import { type FileJournal, openJournal } from './journal/journal.ts';
import { recover } from './journal/recover.ts';
import { createSettler, type Settler, type SettlerOptions } from './settler.ts';
import { MemoryLedger, sampleEnd } from './suite/sample.ts';

let directory: string;
let journal: FileJournal;
let ledger: MemoryLedger;
let settler: Settler | undefined;
let told: SettledCalls[];
const gate = {
  settled: (account: SettledCalls) => {
    told.push(account);
  },
  covers: (_overrun: Overrun): boolean | Promise<boolean> => true,
};

/** Charges by call id: what a gate believes that is told twice of one call. */
function toldCharges(): ReadonlyMap<string, bigint> {
  return new Map(told.flatMap(({ calls }) => calls.map((call) => [call.callId, call.chargeMicro])));
}

const sum = (charges: Iterable<bigint>): bigint => [...charges].reduce((total, charge) => total + charge, 0n);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-settler-'));
  journal = await openJournal({ directory, clock: systemClock, log: silentLogger, syncMs: 1 });
  ledger = new MemoryLedger();
  told = [];
});

afterEach(async () => {
  await settler?.stop();
  await journal.close().catch(() => {});
  await rm(directory, { recursive: true, force: true });
});

function start(parts: Partial<SettlerOptions> = {}): Settler {
  settler = createSettler({
    journal,
    store: ledger,
    gate,
    clock: systemClock,
    log: silentLogger,
    waitMs: 5,
    retryMsMax: 20,
    ...parts,
  });
  return settler;
}

function endMany(count: number, from = 0): string[] {
  const ids = Array.from({ length: count }, (_, index) => `req_${from + index}`);
  for (const callId of ids) journal.end(sampleEnd(callId));
  journal.flush();
  return ids;
}

describe('the settler', () => {
  it('settles ended calls in order, in batches no larger than the bound, each once', async () => {
    const sizes: number[] = [];
    const running = start({ batchMax: 10, onBatch: (size) => sizes.push(size) });
    const ids = endMany(95);
    expect(await running.drain(60_000)).toBe(true);
    expect(ledger.batches.flat()).toEqual(ids);
    expect(Math.max(...sizes)).toBe(10);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(95);
    expect([running.lag, journal.lag]).toEqual([0, 0]);
  });

  it('delays a single call only for the given time', async () => {
    start({ waitMs: 30 });
    journal.end(sampleEnd('req_1'));
    expect(ledger.tries).toBe(0);
    await vi.waitFor(() => expect(ledger.calls.size).toBe(1), { timeout: 60_000, interval: 2 });
  });

  it('lets the next calls wait for more of them after a large batch', async () => {
    const waits = vi.spyOn(globalThis, 'setTimeout');
    start({ waitMs: undefined });
    const isTimed = (ms: number): boolean => waits.mock.calls.some(([, waitMs]) => waitMs === ms);
    endMany(SETTLE_BUSY_CALLS);
    await vi.waitFor(() => expect(ledger.calls.size).toBe(SETTLE_BUSY_CALLS), { timeout: 60_000 });
    expect([isTimed(SETTLE_WAIT_MS), isTimed(SETTLE_BUSY_WAIT_MS)]).toEqual([true, false]);
    endMany(1, SETTLE_BUSY_CALLS);
    await vi.waitFor(() => expect(isTimed(SETTLE_BUSY_WAIT_MS)).toBe(true), { timeout: 60_000 });
    waits.mockRestore();
  });

  it('reports to the gate per account what was charged and the current funds', async () => {
    const running = start();
    journal.end(sampleEnd('req_1', { accountId: 1, chargeMicro: 3n }));
    journal.end(sampleEnd('req_2', { accountId: 2, chargeMicro: 5n }));
    journal.end(sampleEnd('req_3', { accountId: 1, chargeMicro: 0n }));
    journal.end(sampleEnd('req_4', { accountId: 1, chargeMicro: 4n }));
    await running.drain(2_000);
    const funds = ledger.funds();
    expect(told.map(({ accountId, funds }) => ({ accountId, funds }))).toEqual([
      { accountId: 1, funds },
      { accountId: 2, funds },
    ]);
    expect(told[0]?.calls.map(({ callId, chargeMicro }) => [callId, chargeMicro])).toEqual([
      ['req_1', 3n],
      ['req_3', 0n],
      ['req_4', 4n],
    ]);
    expect([...toldCharges()].at(-1)).toEqual(['req_2', 5n]);
  });

  it('reports to the gate before the journal forgets the calls, so that a crash between repeats it', async () => {
    const lags: number[] = [];
    const running = start({ gate: { ...gate, settled: () => void lags.push(journal.lag) } });
    endMany(3);
    await running.drain(2_000);
    expect(lags).toEqual([3]);
    expect(journal.lag).toBe(0);
  });

  it('continues when the gate fails', async () => {
    const running = start({ gate: { ...gate, settled: () => Promise.reject(new Error('redis is away')) } });
    endMany(3);
    expect(await running.drain(60_000)).toBe(true);
    expect(ledger.calls.size).toBe(3);
  });

  it('loses nothing while the store is away, and keeps the order', async () => {
    const running = start({ batchMax: 7 });
    ledger.away = true;
    const ids = endMany(20);
    await vi.waitFor(() => expect(ledger.tries).toBeGreaterThan(2), { timeout: 60_000 });
    ids.push(...endMany(20, 20));
    expect(ledger.calls.size).toBe(0);
    expect(running.lag).toBe(40);
    ledger.away = false;
    expect(await running.drain(60_000)).toBe(true);
    expect(ledger.batches.flat()).toEqual(ids);
    expect(sum(toldCharges().values())).toBe(ledger.chargedMicro);
  });

  it('waits longer from try to try, up to its bound', async () => {
    start({ retryMsMax: 100_000 });
    ledger.away = true;
    endMany(1);
    // 5 + 50 + 100 ms: the third try; the fourth is 200 ms later. Without growth there were five.
    await new Promise((resolve) => setTimeout(resolve, 260));
    expect(ledger.tries).toBeGreaterThan(0);
    expect(ledger.tries).toBeLessThanOrEqual(3);
  });

  it('keeps only places in the journal beyond its bound and reads the calls back in order', async () => {
    const running = start({ queueMax: 10, batchMax: 300 });
    ledger.away = true;
    const ids = endMany(1_000);
    ledger.away = false;
    expect(await running.drain(60_000)).toBe(true);
    expect(ledger.batches.flat()).toEqual(ids);
    expect(ledger.calls.get('req_999')).toEqual(sampleEnd('req_999'));
    endMany(5, 1_000);
    expect(await running.drain(60_000)).toBe(true);
  });

  it('returns false from a drain when the time is over, and leaves the rest in the journal', async () => {
    const running = start();
    ledger.away = true;
    endMany(4);
    expect(await running.drain(30)).toBe(false);
    await running.stop();
    await journal.close();
    const later = new MemoryLedger();
    await recover({ directory, store: later, creditsPerYuan: 1000, log: silentLogger });
    expect([...later.calls.keys()]).toEqual(['req_0', 'req_1', 'req_2', 'req_3']);
  });
});

describe('the settler of calls that cost more than they held', () => {
  const more = (callId: string, parts: Partial<CallRecord> = {}): CallRecord =>
    sampleEnd(callId, { chargeMicro: 9n, heldMicro: 8n, ...parts });

  it('settles them behind the others of their batch', async () => {
    const running = start({ waitMs: 1_000_000 });
    journal.end(more('req_more'));
    endMany(2);
    expect(await running.drain(2_000, 'keep')).toBe(true);
    expect(ledger.batches.flat()).toEqual(['req_0', 'req_1', 'req_more']);
  });

  it('waits while the gate reports that others hold their money, and then settles them', async () => {
    const asked: Overrun[] = [];
    let covered = false;
    const covers = (overrun: Overrun): Promise<boolean> => {
      asked.push(overrun);
      return Promise.resolve(covered);
    };
    const running = start({ gate: { ...gate, covers }, postponedLookMs: 2 });
    const terms = { month: '2026-11', creditsPerYuan: 1000, mayExchange: true } as const;
    journal.end(more('req_1', { ...terms, capMicro: 700n }));
    journal.end(more('req_2', { ...terms, capMicro: 500n }));
    journal.end(more('req_3', { ...terms, capMicro: 0n, mayExchange: undefined }));
    endMany(1);
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(2), { timeout: 30_000, interval: 2 });
    expect([...ledger.calls.keys()]).toEqual(['req_0']);
    expect([running.lag, running.postponed, journal.lag]).toEqual([3, 3, 3]);
    const { calls, ...rest } = asked.at(-1) ?? { calls: [] };
    expect(calls.map(({ callId }) => callId)).toEqual(['req_1', 'req_2', 'req_3']);
    const strictest = { autoExchange: false, capMicro: 500n, month: '2026-11', creditsPerYuan: 1000 };
    expect(rest).toEqual({ accountId: 1, ...strictest });
    covered = true;
    await vi.waitFor(() => expect(ledger.calls.size).toBe(4), { timeout: 30_000, interval: 2 });
    expect([running.lag, running.postponed, journal.lag]).toEqual([0, 0, 0]);
  });

  it('settles them after the longest wait with what there is, and so at the end of the process', async () => {
    const covers = () => false;
    const running = start({ gate: { ...gate, covers }, postponedLookMs: 2, postponedMsMax: 20 });
    journal.end(more('req_1'));
    await vi.waitFor(() => expect(ledger.calls.size).toBe(1), { timeout: 30_000, interval: 2 });
    await running.stop();
    await journal.close();
    journal = await openJournal({ directory, clock: systemClock, log: silentLogger });
    const last = start({ gate: { ...gate, covers }, postponedLookMs: 1_000_000 });
    journal.end(more('req_2'));
    expect(await last.drain(5_000, 'keep')).toBe(true);
    expect(last.postponed).toBe(1);
    expect(await last.drain(5_000)).toBe(true);
    expect([ledger.calls.size, last.lag]).toEqual([2, 0]);
  });

  it('loses none while the store is away, and lets no more wait than the bound', async () => {
    const running = start({
      gate: { ...gate, covers: () => false },
      postponedLookMs: 1,
      postponedMsMax: 1_000_000,
    });
    const ids = Array.from({ length: SETTLE_POSTPONED_MAX + 5 }, (_, index) => `req_${index}`);
    for (const callId of ids) journal.end(more(callId));
    await vi.waitFor(() => expect(ledger.calls.size).toBe(5), { timeout: 30_000, interval: 2 });
    ledger.away = true;
    endMany(3, 5_000);
    await vi.waitFor(() => expect(ledger.tries).toBeGreaterThan(4), { timeout: 30_000, interval: 2 });
    expect(running.lag).toBe(SETTLE_POSTPONED_MAX + 3);
    ledger.away = false;
    expect(await running.drain(30_000)).toBe(true);
    expect(ledger.calls.size).toBe(SETTLE_POSTPONED_MAX + 8);
  });

  it('does not wait for a gate that fails', async () => {
    const covers = () => Promise.reject(new Error('a fault'));
    const running = start({ gate: { ...gate, covers } });
    journal.end(more('req_1'));
    expect(await running.drain(5_000, 'keep')).toBe(true);
    expect(ledger.calls.size).toBe(1);
  });
});

describe('the settler of calls that the store refuses', () => {
  const errors: unknown[] = [];
  const log: Logger = { ...silentLogger, error: (fields) => errors.push(fields) };

  it('isolates them, keeps them in a file that can be settled later, and settles all others', async () => {
    const rejected: number[] = [];
    const running = start({ log, onRejected: (calls) => rejected.push(calls) });
    ledger.refused.add('req_3').add('req_40');
    const ids = endMany(100);
    expect(await running.drain(60_000)).toBe(true);
    expect([...ledger.calls.keys()]).toEqual(ids.filter((id) => !ledger.refused.has(id)));
    expect(errors).toMatchObject([{ calls: ['req_3', 'req_40'] }]);
    expect(rejected).toEqual([2]);
    expect(readFileSync(join(directory, 'rejected.log'), 'utf8').match(/"callId":"req_\d+"/g)).toEqual([
      '"callId":"req_3"',
      '"callId":"req_40"',
    ]);
    await running.stop();
    await journal.close();
    expect(await readdir(directory)).toEqual(['rejected.log']);
    // What the documentation tells an operator to do after mending the cause.
    await rename(join(directory, 'rejected.log'), join(directory, '000000.log'));
    ledger.refused.clear();
    const report = await recover({ directory, store: ledger, creditsPerYuan: 1000, log: silentLogger });
    expect(report).toMatchObject({ ended: 2, rejected: 0 });
    expect(ledger.calls.size).toBe(100);
    expect(ledger.calls.get('req_3')).toEqual(sampleEnd('req_3'));
  });

  it('does not blame the calls while the store takes none at all', async () => {
    const running = start();
    const ids = endMany(3);
    for (const id of ids) ledger.refused.add(id);
    expect(await running.drain(60)).toBe(false);
    expect(running.lag).toBe(3);
    ledger.refused.delete('req_1');
    expect(await running.drain(60_000)).toBe(true);
    expect([...ledger.calls.keys()]).toEqual(['req_1']);
  });

  it('repeats a commit whose answer was lost without effect', async () => {
    planFaults('settle.after-commit=throw');
    const running = start();
    endMany(8);
    expect(await running.drain(60_000)).toBe(true);
    expect(ledger.batches.flat()).toHaveLength(16);
    expect(ledger.calls.size).toBe(8);
    expect(sum(toldCharges().values())).toBe(ledger.chargedMicro);
  });
});
