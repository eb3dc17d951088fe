import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runs } from '../../test/support/property-runs.ts';
import { silentLogger } from '../kernel/log.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import type { Usage } from '../kernel/usage.ts';
import { type FileJournal, openJournal } from './journal/journal.ts';
import { recover } from './journal/recover.ts';
import { createSettler } from './settler.ts';
import { MemoryLedger, sampleEnd, sampleOpen, sampleUsage } from './suite/sample.ts';

/**
 * A crash is a copy of the directory at some moment, cut at some byte. Whatever the moment and the byte, the
 * next start must find every call that was acknowledged, each once.
 */
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-crash-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function copyDirectory(from: string): Promise<string> {
  const to = await mkdtemp(join(directory, 'copy-'));
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
  return to;
}

function open(from: string, segmentBytes: number): Promise<FileJournal> {
  return openJournal({
    directory: from,
    clock: new ManualClock(),
    log: silentLogger,
    segmentBytes,
    syncMs: 1,
  });
}

async function recoverInto(ledger: MemoryLedger, from: string): Promise<void> {
  await recover({ directory: from, store: ledger, creditsPerYuan: 1000, log: silentLogger });
}

describe('a journal cut at any byte', () => {
  it('contains exactly what was complete before the cut', async () => {
    const home = await mkdtemp(join(directory, 'home-'));
    const journal = await open(home, 1_000_000);
    const file = join(home, '000001.log');
    /** Length of the file after each step, and what a recovery from there on must find. */
    const steps: [number, Record<string, string>][] = [[0, {}]];
    const note = (found: Record<string, string>) => {
      journal.flush();
      steps.push([statSync(file).size, found]);
    };
    await journal.open(sampleOpen('req_1'));
    note({ req_1: 'cut 0' });
    await journal.open(sampleOpen('req_2'));
    note({ req_1: 'cut 0', req_2: 'cut 0' });
    journal.mark('req_1', sampleUsage(5, 40), 0n);
    note({ req_1: 'cut 40', req_2: 'cut 0' });
    journal.end(sampleEnd('req_2'));
    note({ req_1: 'cut 40', req_2: 'complete 500' });
    journal.end(sampleEnd('req_1'));
    note({ req_1: 'complete 500', req_2: 'complete 500' });
    await journal.close();

    const whole = readFileSync(file);
    const torn = await mkdtemp(join(directory, 'torn-'));
    for (let cut = whole.length; cut >= 0; cut--) {
      writeFileSync(join(torn, '000001.log'), whole.subarray(0, cut));
      const ledger = new MemoryLedger();
      await recoverInto(ledger, torn);
      const found = Object.fromEntries(
        [...ledger.calls.values()].map((call) => [
          call.callId,
          `${call.verdict === 'cut-by-gateway' ? 'cut' : call.verdict} ${call.usage.outputText}`,
        ]),
      );
      // A record is whole without its line feed too; only then may a cut find one more.
      const expected = steps.filter(([size]) => size - 1 <= cut).at(-1)?.[1];
      expect(found, `cut at byte ${cut}`).toEqual(expected);
    }
  });
});

type Step =
  | { readonly kind: 'open' }
  | { readonly kind: 'reroute' | 'mark' | 'end'; readonly which: number; readonly output: number }
  | { readonly kind: 'settle'; readonly away: boolean }
  | { readonly kind: 'crash' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ kind: 'open' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('reroute' as const, 'mark' as const, 'end' as const, 'end' as const),
      which: fc.nat(20),
      output: fc.nat(1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const), away: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'crash' }) },
);

/** One node over several lives: what it was told, and one ledger through all of them. */
class Node {
  readonly ledger = new MemoryLedger();
  /** What must be charged in the end: output tokens per call, at its end or the last mark of its route. */
  readonly expected = new Map<string, number>();
  readonly #running = new Map<string, Usage | undefined>();
  readonly #root: string;
  #directory = '';
  #journal: FileJournal | undefined;
  #settler: ReturnType<typeof createSettler> | undefined;
  #count = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async start(): Promise<void> {
    this.#directory ||= await mkdtemp(join(this.#root, 'node-'));
    this.ledger.away = false;
    await recoverInto(this.ledger, this.#directory);
    this.#running.clear();
    this.#journal = await open(this.#directory, 2_500);
    this.#settler = createSettler({
      journal: this.#journal,
      store: this.ledger,
      gate: { settled: () => {}, covers: () => true },
      clock: new ManualClock(),
      log: silentLogger,
      batchMax: 3,
      queueMax: 2,
      waitMs: 1,
      retryMsMax: 1,
    });
  }

  async take(next: Step): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined) throw new Error('not started');
    if (next.kind === 'open') {
      const callId = `req_${this.#count++}`;
      await journal.open(sampleOpen(callId));
      this.#running.set(callId, undefined);
      this.expected.set(callId, 0);
    } else if (next.kind === 'settle') {
      this.ledger.away = next.away;
      if (!next.away) await this.#settler?.drain(2_000);
    } else if (next.kind === 'crash') await this.crash();
    else this.#touch(journal, next);
    journal.flush();
  }

  /** The old life goes on running beside the copy, as a process does that is about to be killed. */
  async crash(): Promise<void> {
    const copy = await copyDirectory(this.#directory);
    await this.#settler?.stop();
    await this.#journal?.close();
    this.#directory = copy;
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#settler?.stop();
    await this.#journal?.close();
  }

  #touch(journal: FileJournal, next: Step & { kind: 'reroute' | 'mark' | 'end' }): void {
    const ids = [...this.#running.keys()];
    const callId = ids[next.which % ids.length];
    if (callId === undefined) return;
    const usage = sampleUsage(10, next.output);
    // What a route had begun before it failed is not owed.
    this.expected.set(callId, next.kind === 'reroute' ? 0 : next.output);
    if (next.kind === 'reroute') journal.open(sampleOpen(callId, { routeId: 1_000 + this.#count++ }));
    if (next.kind === 'mark') journal.mark(callId, usage, 0n);
    if (next.kind !== 'end') return;
    journal.end(sampleEnd(callId, { usage, chargeMicro: BigInt(next.output) }));
    this.#running.delete(callId);
  }
}

describe('a node that is killed again and again', () => {
  it('loses no acknowledged call and charges none twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
        const node = new Node(directory);
        await node.start();
        for (const next of steps) await node.take(next);
        await node.crash();
        await node.stop();
        const charged = [...node.ledger.calls.values()].map((call) => [call.callId, call.usage.outputText]);
        expect(new Map(charged as [string, number][])).toEqual(node.expected);
      }),
      { numRuns: runs(40) },
    );
  });
});
