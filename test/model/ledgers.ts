import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gate } from '../../src/gate/contract.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { settleBatch } from '../../src/ledger/batch.ts';
import type { CallRecord, Journal, LedgerStore, OpenCall } from '../../src/ledger/contract.ts';
import { type FileJournal, openJournal } from '../../src/ledger/journal/journal.ts';
import type { Mark } from '../../src/ledger/journal/record.ts';
import { endAtLastMark, recover } from '../../src/ledger/journal/recover.ts';
import { chooseDue, overrunsLast } from '../../src/ledger/overrun.ts';
import { createSettler, type Settler } from '../../src/ledger/settler.ts';
import { tellGate } from '../../src/ledger/tell-gate.ts';
import { CREDITS_PER_YUAN } from './steps.ts';

/** Between the gateway and the store: what is written of calls, and how it is settled. */
export interface TestLedger {
  readonly journal: Pick<Journal, 'open' | 'mark' | 'end' | 'flush'>;
  /** Everything that waits. */
  settle(): Promise<void>;
  /** The process dies and begins again; what it left is settled. `tell` hears of every call. */
  restart(tell: Gate['settled'] | undefined): Promise<void>;
  close(): Promise<void>;
}

export interface LedgerParts {
  readonly store: LedgerStore;
  /** The gate of the moment: another one after a restart. */
  readonly settled: Gate['settled'];
  readonly covers: Gate['covers'];
}

interface Open {
  open: OpenCall;
  mark: Mark | undefined;
}

/** The rules without the files: batches, the way to the gate, and what is left of an interrupted call. */
export class QuickLedger implements TestLedger {
  readonly #parts: LedgerParts;
  readonly #open = new Map<string, Open>();
  /** In the order in which they ended; those that were postponed stand first. */
  #ended: readonly CallRecord[] = [];

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  readonly journal: TestLedger['journal'] = {
    open: async (call) => {
      this.#open.set(call.callId, { open: call, mark: undefined });
    },
    mark: (callId, usage, heldMicro) => {
      const known = this.#open.get(callId);
      if (known !== undefined) known.mark = { callId, usage, atMs: 0, heldMicro };
    },
    end: (call) => {
      this.#open.delete(call.callId);
      this.#ended = [...this.#ended, call];
    },
    flush: () => {},
  };

  async settle(): Promise<void> {
    const { store, settled, covers } = this.#parts;
    const { now, later } = await chooseDue(this.#ended, { covers });
    this.#ended = later;
    if (now.length > 0) await tellGate({ settled }, await settleBatch(store, now), silentLogger);
  }

  async restart(tell: Gate['settled'] | undefined): Promise<void> {
    const cut = [...this.#open.values()].map((call) => endAtLastMark(call, CREDITS_PER_YUAN));
    const calls = overrunsLast([...this.#ended, ...cut]);
    this.#open.clear();
    this.#ended = [];
    if (calls.length === 0) return;
    const result = await settleBatch(this.#parts.store, calls);
    if (tell !== undefined) await tellGate({ settled: tell }, result, silentLogger);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Nothing is settled before it is told to: the tests know when. */
const NEVER_MS = 1_000_000;
const DRAIN_MS = 10_000;

/** The real journal in files, the real settler, the real recovery. */
export class FileLedger implements TestLedger {
  readonly #parts: LedgerParts;
  readonly #directory: string;
  #journal: FileJournal;
  #settler: Settler;

  private constructor(parts: LedgerParts, directory: string, journal: FileJournal) {
    this.#parts = parts;
    this.#directory = directory;
    this.#journal = journal;
    this.#settler = this.#begin();
  }

  static async open(parts: LedgerParts): Promise<FileLedger> {
    const directory = await mkdtemp(join(tmpdir(), 'tollgate-model-'));
    return new FileLedger(parts, directory, await openFiles(directory));
  }

  get journal(): TestLedger['journal'] {
    return this.#journal;
  }

  async settle(): Promise<void> {
    if (!(await this.#settler.drain(DRAIN_MS, 'keep'))) throw new Error('calls were not settled in time');
  }

  async restart(tell: Gate['settled'] | undefined): Promise<void> {
    await this.#settler.stop();
    await this.#journal.close();
    const told = tell === undefined ? {} : { settled: tell };
    const { store } = this.#parts;
    await recover({
      directory: this.#directory,
      store,
      creditsPerYuan: CREDITS_PER_YUAN,
      log: silentLogger,
      ...told,
    });
    this.#journal = await openFiles(this.#directory);
    this.#settler = this.#begin();
  }

  async close(): Promise<void> {
    await this.#settler.stop();
    await this.#journal.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #begin(): Settler {
    const { store, settled, covers } = this.#parts;
    const journal = this.#journal;
    const gate = { settled, covers };
    const waits = { waitMs: NEVER_MS, postponedLookMs: NEVER_MS };
    return createSettler({ journal, store, gate, clock: systemClock, log: silentLogger, ...waits });
  }
}

function openFiles(directory: string): Promise<FileJournal> {
  return openJournal({ directory, clock: systemClock, log: silentLogger });
}
