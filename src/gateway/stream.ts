import { MARK_MS } from '../bounds.ts';
import { costMicro, creditsMicro, outputTokensFor } from '../catalog/price.ts';
import type { Lease } from '../gate/contract.ts';
import { ERRORS, type ErrorName } from '../kernel/errors.ts';
import { MICRO, maxMicro, minMicro } from '../kernel/money.ts';
import { ownCopy } from '../kernel/own-copy.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { Verdict } from '../ledger/contract.ts';
import type { Framing, StreamRelay } from '../protocol/dialect.ts';
import type { UpstreamExchange } from '../upstream/contract.ts';
import { giveUpAfter } from './answer.ts';
import { NOTHING_SPENT, type Spent } from './attempt-result.ts';
import { SHORTAGE_ERRORS } from './enter.ts';
import { completeUsage, type Passage, settlePassage } from './passage.ts';
import { resetAfter } from './reset.ts';
import { withinHold } from './within-hold.ts';
import { type ChunkSource, ChunkWriter } from './write-chunk.ts';

/** Comments and blank lines a vendor may send before its first event; more of them are no answer. */
const EARLY_BYTES_MAX = 64 * 1024;
/** Credits asked for beyond what is already spent when a hold is extended. */
const EXTENSION_MICRO = 10n * MICRO;
/** A token is two bytes and more: so many may pass for each that is left before a tight hold is looked at. */
const BYTES_PER_TOKEN = 2;
/** Output that a hold keeps back, so that what comes between two looks is paid for. */
const RESERVE: Usage = { ...NO_USAGE, outputText: 32 };

/** Marks of a stream, one a second, before its input is counted with the tokenizer. */
const MARKS_ESTIMATED = 5;

export interface StreamTimes {
  readonly keepAliveMs: number;
  readonly clientStallMs: number;
}

/**
 * What came of the bytes so far: nothing yet, an error as the first event, something that is no stream, or an
 * answer on its way.
 */
export type StreamState = 'waiting' | 'first-error' | 'foreign' | 'flowing';

/**
 * One streamed answer between a vendor and a client. Chunks are written as they come; a client that does not
 * read pauses the vendor. The 200 is committed when the first event is there, not before.
 */
export class StreamAnswer implements ChunkSource {
  readonly #passage: Passage;
  readonly #relay: StreamRelay;
  readonly #framing: Framing;
  readonly #times: StreamTimes;
  readonly #exchange: UpstreamExchange;
  readonly #headers: readonly string[];
  readonly #onBegin: () => void;
  readonly #onEnd: (outcome: string) => void;
  readonly #writer: ChunkWriter;
  #state: StreamState = 'waiting';
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #ended = false;
  #stalledSince: number | undefined;
  #extending = false;
  #lastWriteAt = 0;
  #lastMarkAt = 0;
  #finalMarked = false;
  #marks = 0;
  /** It is stopped because nothing is free. */
  #isShort = false;
  #bytesToCheck = Number.POSITIVE_INFINITY;

  constructor(start: {
    readonly passage: Passage;
    readonly relay: StreamRelay;
    readonly framing: Framing;
    readonly times: StreamTimes;
    readonly exchange: UpstreamExchange;
    readonly headers: readonly string[];
    readonly onBegin: () => void;
    readonly onEnd: (outcome: string) => void;
  }) {
    this.#passage = start.passage;
    this.#relay = start.relay;
    this.#framing = start.framing;
    this.#times = start.times;
    this.#exchange = start.exchange;
    this.#headers = start.headers;
    this.#writer = new ChunkWriter(start.passage.response, this);
    this.#onBegin = start.onBegin;
    this.#onEnd = start.onEnd;
  }

  /** The vendor's error, when it was the first event. */
  get firstError(): string {
    return this.#relay.firstError ?? '';
  }

  /** What the vendor reported before its error. */
  get spent(): Spent {
    const { usage, estimated, inputReported } = this.#relay.usage();
    return inputReported ? { usage, estimated } : NOTHING_SPENT;
  }

  get began(): boolean {
    return this.#state === 'flowing';
  }

  push(chunk: Buffer): StreamState {
    if (this.#ended) return this.#state;
    const bytes = this.#relay.push(chunk);
    if (this.#state !== 'flowing') return this.#wait(bytes);
    this.#flow(bytes, chunk.length);
    return this.#state;
  }

  /** The vendor closed its answer: complete, or cut. */
  upstreamEnded(): void {
    if (this.#ended) return;
    const { rest, complete } = this.#relay.finish();
    if (!complete || this.#relay.failed) {
      this.cut('cut-by-upstream', 'upstreamBroken');
      return;
    }
    const { usage, estimated } = completeUsage(this.#passage, this.#relay.usage());
    const outcome = { status: 200, errorCode: null, verdict: 'complete', usage, estimated } as const;
    const settling = settlePassage(this.#passage, outcome, 'ok');
    this.#close('ok');
    if (settling === undefined) this.#endNow(rest);
    else this.#endLater(settling, rest);
  }

  #endNow(rest: Buffer | undefined): void {
    const { response } = this.#passage;
    response.end(rest);
    giveUpAfter(response, this.#times.clientStallMs);
  }

  #endLater(settling: Promise<void>, rest: Buffer | undefined): void {
    const { response, carriage } = this.#passage;
    carriage.tasks.run('call.settle', async () => {
      try {
        await settling;
        this.#endNow(rest);
      } catch (error) {
        resetAfter(response, undefined);
        throw error;
      }
    });
  }

  /** The connection broke. Behind the last event of all that is the vendor's own affair. */
  upstreamFailed(errorName: ErrorName): void {
    if (this.#relay.concluded) this.upstreamEnded();
    else this.cut('cut-by-upstream', errorName);
  }

  /** Ends the stream before its time: one error event in the client's own form, then a reset. */
  cut(verdict: Verdict, errorName: ErrorName): void {
    if (this.#ended) return;
    const error = ERRORS[errorName];
    this.#exchange.abort();
    this.#settleCut(verdict, error.code);
    this.#close(verdict);
    const event = this.#passage.dialect.encodeStreamError(this.#framing, {
      ...error,
      sequenceNumber: this.#relay.nextSequenceNumber,
    });
    // A vendor's own error event has already passed: a second one would only confuse.
    resetAfter(this.#passage.response, this.#relay.failed ? undefined : event);
  }

  /** The client went away: the vendor is stopped at once, what was produced is charged. */
  clientGone(): void {
    if (this.#ended) return;
    this.#exchange.abort();
    this.#settleCut('cut-by-client', null);
    this.#close('cut-by-client');
  }

  /** A fault of ours, which ends the call elsewhere: what was produced before it is owed all the same. */
  broke(): void {
    if (this.#ended || !this.began) return;
    this.#ended = true;
    try {
      this.#settleCut('cut-by-gateway', ERRORS.internal.code);
    } catch {
      // The fault is in the counting itself: where the call ends it is settled without.
    }
  }

  stop(): void {
    if (!this.#relay.concluded) {
      this.cut('cut-by-gateway', 'unavailable');
      return;
    }
    // The client has the whole answer: only the vendor's socket is left to end.
    this.upstreamEnded();
    this.#exchange.abort();
  }

  tick(now: number): void {
    if (this.#stalledSince !== undefined) {
      if (now - this.#stalledSince >= this.#times.clientStallMs) this.cut('cut-by-client', 'upstreamTimeout');
      return;
    }
    const { atBoundary, concluded } = this.#relay;
    if (now - this.#lastWriteAt < this.#times.keepAliveMs || !atBoundary || concluded) return;
    this.#write(this.#passage.dialect.keepAlive(this.#framing), now);
  }

  #wait(bytes: Buffer | undefined): StreamState {
    if (bytes !== undefined) {
      this.#early.push(ownCopy(bytes));
      this.#earlyBytes += bytes.length;
    }
    const { first } = this.#relay;
    if (first === 'error') this.#state = 'first-error';
    else if (first === 'data') this.#begin();
    else if (first === 'foreign' || this.#earlyBytes > EARLY_BYTES_MAX) this.#state = 'foreign';
    return this.#state;
  }

  #begin(): void {
    const { call, response, facts, carriage } = this.#passage;
    const now = carriage.clock.monotonic();
    this.#state = 'flowing';
    call.firstByteAt = now;
    // From here on the call has begun: if we die, its input is charged, and its output from mark to mark.
    const usage = { ...NO_USAGE, inputFresh: facts.inputTokensEstimate };
    carriage.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
    this.#lastMarkAt = now;
    if (call.lease !== undefined && call.lease.heldMicro < this.#passage.wantMicro) this.#bytesToCheck = 0;
    this.#onBegin();
    response.writeHead(200, this.#headers as string[]);
    const early = this.#early;
    this.#early = [];
    this.#flow(early.length === 1 ? early[0] : Buffer.concat(early), this.#earlyBytes);
  }

  #flow(bytes: Buffer | undefined, arrivedBytes: number): void {
    const now = this.#passage.carriage.clock.monotonic();
    this.#bytesToCheck -= arrivedBytes;
    if (this.#relay.overflowed) {
      this.cut('cut-by-upstream', 'upstreamBroken');
      return;
    }
    // Before the terminator leaves us, the exact usage is in the journal: what the client saw finished is
    // charged to the token, even if we die right behind it.
    const terminated = this.#relay.terminated && !this.#finalMarked;
    if (terminated || now - this.#lastMarkAt >= MARK_MS || this.#bytesToCheck <= 0) this.#mark(now);
    if (bytes !== undefined && bytes.length > 0 && !this.#ended) this.#write(bytes, now);
  }

  #write(bytes: Buffer, now: number): void {
    this.#lastWriteAt = now;
    this.#writer.write(bytes);
  }

  onFull(): void {
    if (this.#ended) return;
    this.#stalledSince = this.#passage.carriage.clock.monotonic();
    this.#exchange.pause();
  }

  onDrained(): void {
    this.#stalledSince = undefined;
    if (!this.#ended && !this.#extending) this.#exchange.resume();
  }

  #mark(now: number): void {
    const { call, carriage } = this.#passage;
    this.#lastMarkAt = now;
    this.#finalMarked = this.#relay.terminated;
    const usage = this.#usageSoFar();
    if (!this.#finalMarked) this.#watchHold(usage);
    if (!this.#ended) carriage.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
  }

  /**
   * Counting an input costs as much as some hundred events, and a mark is only read if we die: until a stream
   * has run for a while its input is the cheap estimate. What the client sees finished is counted in full.
   */
  #usageSoFar(): Usage {
    const seen = this.#relay.usage();
    this.#marks++;
    if (seen.inputReported || this.#finalMarked || this.#marks > MARKS_ESTIMATED) {
      return completeUsage(this.#passage, seen).usage;
    }
    return { ...seen.usage, inputFresh: this.#passage.facts.inputTokensEstimate };
  }

  /** decisions.md 3.5: a stream whose cost reaches its hold gets more, or is stopped like a cut one. */
  #watchHold(usage: Usage): void {
    const { call, wantMicro, shareMicro, carriage } = this.#passage;
    const { lease, price } = call;
    // What TLS had read already comes although we paused: one question at a time.
    if (this.#extending || lease === undefined || price === undefined || lease.payer === 'none') return;
    const { creditsPerYuan } = carriage.settlement;
    const spentMicro = creditsMicro(costMicro(usage, price), creditsPerYuan);
    const tight = lease.heldMicro < wantMicro;
    const reserveMicro = tight ? creditsMicro(costMicro(RESERVE, price), creditsPerYuan) : 0n;
    const leftMicro = lease.heldMicro - spentMicro - reserveMicro;
    this.#bytesToCheck = tight
      ? outputTokensFor(leftMicro, price, creditsPerYuan) * BYTES_PER_TOKEN
      : Number.POSITIVE_INFINITY;
    // Whoever holds all that the call may cost has reached the end of it, and needs no more.
    if (tight ? leftMicro > 0n : leftMicro >= 0n) return;
    const beyondMicro = spentMicro - lease.heldMicro;
    const stepMicro = minMicro(wantMicro - lease.heldMicro, beyondMicro + shareMicro);
    const moreMicro = maxMicro(stepMicro, beyondMicro + EXTENSION_MICRO);
    const granted = carriage.gate.extend(lease, moreMicro);
    if (granted instanceof Promise) this.#extendLater(lease, granted);
    else if (granted === 0n) this.#outOfFunds(lease);
  }

  /** A gate that grants nothing and names no shortage cannot be reached: nothing is known to be free. */
  #outOfFunds({ shortOf }: Lease): void {
    this.#isShort = true;
    this.cut('cut-by-gateway', shortOf === undefined ? 'unavailable' : SHORTAGE_ERRORS[shortOf]);
  }

  #extendLater(lease: Lease, granted: Promise<bigint>): void {
    this.#extending = true;
    this.#exchange.pause();
    this.#passage.carriage.tasks.run('gate.extend', async () => {
      const grantedMicro = await granted.catch(() => 0n);
      this.#extending = false;
      if (grantedMicro === 0n) this.#outOfFunds(lease);
      else if (!this.#ended && this.#stalledSince === undefined) this.#exchange.resume();
    });
  }

  #settleCut(verdict: Verdict, errorCode: number | null): void {
    const seen = completeUsage(this.#passage, this.#relay.usage());
    const { images } = this.#passage.facts;
    // Images are made whole or not at all: who leaves while they are made has asked for all of them.
    const left = verdict === 'cut-by-client' && images > seen.usage.images;
    const usage = left ? { ...seen.usage, images } : this.#paidFor(seen.usage);
    const estimated = seen.estimated || left;
    settlePassage(this.#passage, { status: 200, errorCode, verdict, usage, estimated }, verdict);
  }

  #paidFor(usage: Usage): Usage {
    const { call, carriage } = this.#passage;
    if (!this.#isShort || call.lease === undefined || call.price === undefined) return usage;
    return withinHold(usage, call.lease.heldMicro, call.price, carriage.settlement.creditsPerYuan);
  }

  #close(outcome: string): void {
    this.#ended = true;
    this.#onEnd(outcome);
  }
}
