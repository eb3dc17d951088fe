import type { Clock } from '../../src/kernel/time/clock.ts';
import { BATCH_FILES_STORED_MAX, BATCHES_STORED_MAX } from '../bounds.ts';

/** What a request really used. */
export interface ItemCounts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** One request of a batch, and its answer, which the client sees when the batch has ended. */
export interface BatchItem {
  readonly customId: string;
  readonly outcome: 'succeeded' | 'errored';
  /** The JSON of the answer, or of the error. */
  readonly answer: string;
  readonly status: number;
  readonly used: ItemCounts;
}

export interface NewBatch {
  readonly id: string;
  /** Who created it. Nobody else knows it. */
  readonly key: string;
  readonly kind: 'batch' | 'message-batch';
  readonly items: readonly BatchItem[];
  /** It ends when it was asked for so many times, or when a test says so. */
  readonly steps: number;
  /** OpenAI: what was wrong with its file. */
  readonly problems: readonly object[];
  /** What is shown of it as it was asked for. */
  readonly shown: Readonly<Record<string, unknown>>;
}

export interface Batch extends NewBatch {
  readonly createdMs: number;
  state: 'validating' | 'in_progress' | 'finalizing' | 'cancelling' | 'ended' | 'failed';
  polls: number;
  cancelledMs: number | undefined;
  endedMs: number | undefined;
  /** How many of its items were done when it ended. */
  done: number;
  /** OpenAI: its results are files. */
  isWritten: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly key: string;
  readonly filename: string;
  readonly purpose: string;
  readonly content: Buffer;
  readonly createdMs: number;
}

const NOTHING: ItemCounts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** The batches and files of all keys: what was asked for, and what was really done. */
export class Batches {
  readonly #batches = new Map<string, Batch>();
  readonly #files = new Map<string, StoredFile>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(asked: NewBatch): Batch {
    makeRoom(this.#batches, BATCHES_STORED_MAX);
    const state =
      asked.problems.length > 0 ? 'failed' : asked.kind === 'batch' ? 'validating' : 'in_progress';
    const ends = { polls: 0, cancelledMs: undefined, endedMs: undefined, done: 0, isWritten: false };
    const made: Batch = { ...asked, ...ends, createdMs: this.#clock.now(), state };
    this.#batches.set(made.id, made);
    return made;
  }

  /** Those of one key, the newest first. */
  list(key: string, kind: Batch['kind']): readonly Batch[] {
    return [...this.#batches.values()].filter((one) => one.key === key && one.kind === kind).reverse();
  }

  find(key: string, id: string): Batch | undefined {
    const batch = this.#batches.get(id);
    return batch?.key === key ? batch : undefined;
  }

  /** Somebody asks how far it is. Half of a batch that is cancelled was done. */
  poll(batch: Batch): void {
    batch.polls += 1;
    if (batch.state === 'ended' || batch.state === 'failed') return;
    if (batch.state === 'cancelling') this.end(batch.id, Math.floor(batch.items.length / 2));
    else if (batch.polls >= batch.steps) this.end(batch.id);
    else batch.state = batch.polls === batch.steps - 1 ? 'finalizing' : 'in_progress';
  }

  cancel(batch: Batch): void {
    if (batch.state === 'ended' || batch.state === 'failed') return;
    batch.state = 'cancelling';
    batch.cancelledMs ??= this.#clock.now();
  }

  end(id: string, done?: number): void {
    const batch = this.#batches.get(id);
    if (batch === undefined) return;
    batch.state = 'ended';
    batch.done = done ?? batch.items.length;
    batch.endedMs = this.#clock.now();
  }

  /** The truth: what the owner of this batch is billed for. */
  used(id: string): ItemCounts {
    const batch = this.#batches.get(id);
    const billed = batch === undefined ? [] : batch.items.slice(0, batch.done);
    return billed.reduce(
      (sum, { used }) => ({
        input: sum.input + used.input,
        cacheRead: sum.cacheRead + used.cacheRead,
        cacheWrite: sum.cacheWrite + used.cacheWrite,
        output: sum.output + used.output,
      }),
      NOTHING,
    );
  }

  /** It is deleted, or has expired. */
  forget(id: string): void {
    this.#batches.delete(id);
  }

  addFile(file: Omit<StoredFile, 'createdMs'>): StoredFile {
    makeRoom(this.#files, BATCH_FILES_STORED_MAX);
    const stored = { ...file, createdMs: this.#clock.now() };
    this.#files.set(stored.id, stored);
    return stored;
  }

  files(key: string): readonly StoredFile[] {
    return [...this.#files.values()].filter((file) => file.key === key).reverse();
  }

  findFile(key: string, id: string): StoredFile | undefined {
    const file = this.#files.get(id);
    return file?.key === key ? file : undefined;
  }

  forgetFile(id: string): void {
    this.#files.delete(id);
  }

  clear(): void {
    this.#batches.clear();
    this.#files.clear();
  }
}

function makeRoom(stored: Map<string, unknown>, max: number): void {
  if (stored.size < max) return;
  for (const oldest of stored.keys()) {
    stored.delete(oldest);
    return;
  }
}
