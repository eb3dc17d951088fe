import { mkdir, unlink } from 'node:fs/promises';
import { SETTLE_BATCH_MAX } from '../../bounds.ts';
import type { Gate } from '../../gate/contract.ts';
import { fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/log.ts';
import { maxMicro } from '../../kernel/money.ts';
import { inputTokens, NO_USAGE, totalTokens, type Usage } from '../../kernel/usage.ts';
import { settleBatch } from '../batch.ts';
import type { CallRecord, LedgerStore, OpenCall } from '../contract.ts';
import { computeBill, endRecord } from '../end-record.ts';
import { isOverrun } from '../overrun.ts';
import { tellGate } from '../tell-gate.ts';
import type { JournalRecord, Mark } from './record.ts';
import { decodeLine } from './record-reader.ts';
import { keepRejected, listRejected } from './rejected.ts';
import { listSegments, readLines, segmentPath } from './segment.ts';

/** The client of an interrupted call got no proper end. nginx uses 499 for a client that is gone. */
export const STATUS_CUT = 499;

const CUT = { status: STATUS_CUT, errorCode: null, verdict: 'cut-by-gateway', estimated: true } as const;

export interface RecoverOptions {
  readonly directory: string;
  readonly store: LedgerStore;
  readonly creditsPerYuan: number;
  readonly log: Logger;
  /**
   * Gets every call of the journal, including those that the store already has: a gate that outlives the
   * process may still have holds for them.
   */
  readonly settled?: Gate['settled'];
}

export interface RecoverReport {
  readonly segments: number;
  /** Calls that had ended and were settled (again). */
  readonly ended: number;
  /** Calls that were open and are ended at their last mark. */
  readonly cut: number;
  readonly rejected: number;
  /** Lines that are not records: torn or damaged. */
  readonly skipped: number;
}

/**
 * Settles what a dead process left in its journal, then removes the journal. Runs before the new journal is
 * opened. The store knows a call by its id, so any part of this may run any number of times. Throws
 * StoreUnavailable and leaves everything as it is if the store is unreachable.
 */
export async function recover(options: RecoverOptions): Promise<RecoverReport> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const numbers = await listSegments(options.directory);
  const run = new Recovery(options);
  for (const number of numbers) {
    for await (const line of readLines(segmentPath(options.directory, number))) await run.take(line);
  }
  const report = await run.finish(numbers.length);
  fault('recover.before-unlink');
  for (const number of numbers) await unlink(segmentPath(options.directory, number));
  if (numbers.length > 0)
    options.log.info(report, 'journal of the last run recovered: its calls are settled');
  return report;
}

/** A call without an end, from its records. */
export interface Interrupted {
  open: OpenCall;
  mark: Mark | undefined;
}

class Recovery {
  readonly #options: RecoverOptions;
  readonly #open = new Map<string, Interrupted>();
  /** By call id: an end may be there twice if the disk reported a successful write as failed. */
  readonly #batch = new Map<string, CallRecord>();
  /** Settled after all others, so that they cannot take money that other calls hold. */
  readonly #overruns = new Map<string, CallRecord>();
  #ended = 0;
  #cut = 0;
  #rejected = 0;
  #skipped = 0;

  constructor(options: RecoverOptions) {
    this.#options = options;
  }

  async take(line: Buffer): Promise<void> {
    const record = decodeLine(line);
    if (record === undefined) this.#skipped += 1;
    else await this.#apply(record);
  }

  async finish(segments: number): Promise<RecoverReport> {
    const { log, directory, creditsPerYuan } = this.#options;
    // Their ends are exact and wait for an operator, even if segments with their marks are still there.
    for await (const callId of listRejected(directory)) this.#open.delete(callId);
    for (const [callId, interrupted] of this.#open) {
      // Its end was read before its beginning, in a file that an operator put first.
      if (this.#batch.has(callId) || this.#overruns.has(callId)) continue;
      this.#cut += 1;
      await this.#add(endAtLastMark(interrupted, creditsPerYuan));
    }
    await this.#settleAll();
    if (this.#skipped > 0)
      log.warn({ lines: this.#skipped }, 'the journal contains damaged lines; they are skipped');
    return {
      segments,
      ended: this.#ended,
      cut: this.#cut,
      rejected: this.#rejected,
      skipped: this.#skipped,
    };
  }

  async #apply(record: JournalRecord): Promise<void> {
    switch (record.kind) {
      case 'open': {
        const known = this.#open.get(record.call.callId);
        // The same record, copied into a newer segment with its mark after it. The earlier mark stays until
        // then, because the copy may be torn.
        const isCarried = known !== undefined && isSameAttempt(known.open, record.call);
        this.#open.set(record.call.callId, { open: record.call, mark: isCarried ? known.mark : undefined });
        return;
      }
      case 'mark': {
        // Without its open record, whose segment is gone, the call was committed long ago.
        const known = this.#open.get(record.callId);
        if (known === undefined) return;
        known.mark = record;
        return;
      }
      case 'end':
        this.#open.delete(record.call.callId);
        this.#ended += 1;
        return this.#add(record.call);
    }
  }

  async #add(call: CallRecord): Promise<void> {
    (isOverrun(call) ? this.#overruns : this.#batch).set(call.callId, call);
    if (this.#batch.size >= SETTLE_BATCH_MAX) await this.#settle(this.#batch);
    if (this.#overruns.size >= SETTLE_BATCH_MAX) await this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    await this.#settle(this.#batch);
    if (this.#overruns.size > 0) await this.#settle(this.#overruns);
  }

  /** Recovery cannot wait: what the store refuses goes to the rejected file. */
  async #settle(batch: Map<string, CallRecord>): Promise<void> {
    const calls = [...batch.values()];
    batch.clear();
    const { settled, log, store } = this.#options;
    fault('recover.before-settle');
    const result = await settleBatch(store, calls);
    const { poison, error } = result;
    if (poison.length > 0) {
      await keepRejected(this.#options.directory, poison);
      this.#rejected += poison.length;
      const fields = { err: error, calls: poison.map((call) => call.callId) };
      log.error(
        fields,
        'the database refuses these calls: they are NOT charged, and kept in rejected.log for an operator',
      );
    }
    fault('recover.after-settle');
    if (settled !== undefined) await tellGate({ settled }, result, log);
    fault('recover.told-gate');
  }
}

/** A call tries one route at most once with one credential. */
function isSameAttempt(one: OpenCall, other: OpenCall): boolean {
  return one.routeId === other.routeId && one.credential === other.credential && one.own === other.own;
}

/**
 * The charge of an interrupted call: what its last mark says it had produced. A call is marked from the
 * vendor's response head on: from then on the vendor works on the input, so it is charged. If the vendor had
 * not reported the input yet, the estimate counts. Before the first mark of its last route nothing is
 * charged.
 */
export function endAtLastMark(call: Interrupted, creditsPerYuanNow: number): CallRecord {
  const { open, mark } = call;
  const { credential, own, inputTokens, images, outputTokensMax, ...terms } = open;
  const { routeId, vendor } = open;
  const usage = usageAtLastMark(call);
  const bill = computeBill(open, usage, open.creditsPerYuan ?? creditsPerYuanNow);
  const durationMs = Math.max(0, (mark?.atMs ?? open.createdAtMs) - open.createdAtMs);
  // A hold grows with the cost. Older journals do not record its growth.
  const heldMicro =
    mark === undefined ? open.heldMicro : (mark.heldMicro ?? maxMicro(open.heldMicro, bill.chargeMicro));
  return endRecord(
    { ...terms, heldMicro },
    { ...CUT, usage },
    {
      bill,
      counted: {
        // Before the first mark the windows count what the call was admitted with.
        tokens: mark === undefined ? inputTokens : totalTokens(usage),
        images: Math.max(images, usage.images),
      },
      // The last one. The outcomes of earlier attempts were lost with the process.
      attempts: [{ routeId, vendor, credential, own, outcome: CUT.verdict, durationMs }],
      expected:
        outputTokensMax === undefined ? undefined : { inputTokens, outputTokens: outputTokensMax, images },
      ttfbMs: null,
      durationMs,
      droppedFields: [],
    },
  );
}

function usageAtLastMark(call: Interrupted): Usage {
  if (call.mark === undefined) return NO_USAGE;
  const { usage } = call.mark;
  return inputTokens(usage) > 0 ? usage : { ...usage, inputFresh: call.open.inputTokens };
}
