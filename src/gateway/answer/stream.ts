import { MARK_MS, USAGE_WAIT_BYTES_MAX } from '../../bounds.ts';
import { ownCopy } from '../../kernel/encoding/own-copy.ts';
import { ERRORS, type ErrorName } from '../../kernel/errors.ts';
import { outputTokens, type Usage } from '../../kernel/usage.ts';
import type { Verdict } from '../../ledger/contract.ts';
import type { BodyEnd, Framing, StreamRelay } from '../../protocol/dialect.ts';
import type { UpstreamExchange } from '../../upstream/contract.ts';
import type { Measured } from '../../upstream/health/speed.ts';
import {
  type AttemptContext,
  completeUsage,
  likelyInput,
  settleAttempt,
} from '../attempt/attempt-context.ts';
import { NOTHING_SPENT, type Spent } from '../attempt/attempt-result.ts';
import { EventShare } from '../attempt/event-share.ts';
import { CLIENT_CLOSED } from '../call.ts';
import { markInput } from '../settle/client-left.ts';
import { HiddenOutput } from '../settle/hidden-output.ts';
import { HoldWatch } from '../settle/hold-watch.ts';
import { type HiddenReasoning, withHeldReasoning, withHiddenReasoning } from '../settle/secret-reasoning.ts';
import { withinHold } from '../settle/within-hold.ts';
import { giveUpAfter } from './answer.ts';
import { resetAfter } from './reset.ts';
import { type ChunkSource, ChunkWriter } from './write-chunk.ts';

/** Comments and blank lines a vendor may send before its first event; more of them are no answer. */
const EARLY_BYTES_MAX = 64 * 1024;
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
export type StreamState = 'waiting' | 'first-error' | 'foreign' | 'no-room' | 'flowing';

/** What a stream tells, and asks, of its attempt. */
export interface StreamWatch {
  /** The first event is there. */
  began(): void;
  /** The answer was complete, and this is what its vendor reported. */
  measured(measured: Measured): void;
  secretReasoning(): HiddenReasoning;
  ended(outcome: string): void;
}

/**
 * One streamed answer between a vendor and a client. Chunks are written as they come; a client that does not
 * read pauses the vendor. The 200 is committed when the first event is there, not before.
 */
export class StreamAnswer implements ChunkSource {
  readonly #context: AttemptContext;
  readonly #relay: StreamRelay;
  readonly #framing: Framing;
  readonly #times: StreamTimes;
  readonly #exchange: UpstreamExchange;
  readonly #headers: readonly string[];
  readonly #bodyEnd: BodyEnd | undefined;
  readonly #watch: StreamWatch;
  readonly #unseen: HiddenOutput;
  readonly #writer: ChunkWriter;
  readonly #hold: HoldWatch;
  readonly #share: EventShare;
  #state: StreamState = 'waiting';
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #ended = false;
  #stalledSince: number | undefined;
  /** The client left behind the answer's end: bytes since, which are read for the usage alone. */
  #readOnBytes: number | undefined;
  #lastWriteAt = 0;
  #lastMarkAt = 0;
  #finalMarked = false;
  #marks = 0;

  constructor(start: {
    readonly context: AttemptContext;
    readonly relay: StreamRelay;
    readonly framing: Framing;
    readonly times: StreamTimes;
    readonly exchange: UpstreamExchange;
    readonly headers: readonly string[];
    readonly bodyEnd: BodyEnd | undefined;
    readonly watch: StreamWatch;
  }) {
    this.#context = start.context;
    this.#relay = start.relay;
    this.#framing = start.framing;
    this.#times = start.times;
    this.#exchange = start.exchange;
    this.#headers = start.headers;
    this.#bodyEnd = start.bodyEnd;
    this.#writer = new ChunkWriter(start.context.response, this);
    this.#watch = start.watch;
    this.#hold = new HoldWatch(start.context, {
      pause: () => this.#exchange.pause(),
      resume: () => this.#resume(),
      short: (errorName) => this.cut('cut-by-gateway', errorName),
    });
    const { deps, call, response } = start.context;
    this.#share = new EventShare(deps.bodies, call.caller.account.id, response);
    this.#unseen = new HiddenOutput(start.context, start.relay, start.watch.secretReasoning);
    // The vendor is at work: from here on the input is charged, also if we die, and output from mark to mark.
    markInput(start.context);
    this.#lastMarkAt = start.context.deps.clock.monotonic();
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
    if (!this.#share.hold(this.#relay.heldBytes)) return this.#noRoom();
    if (this.#readOnBytes !== undefined) {
      this.#readOn(this.#readOnBytes + chunk.length);
      return this.#state;
    }
    if (this.#state !== 'flowing') return this.#wait(bytes);
    this.#flow(bytes, chunk.length);
    return this.#state;
  }

  /** The unfinished event is more than the account may hold. */
  #noRoom(): StreamState {
    if (this.#state === 'flowing') this.cut('cut-by-gateway', 'unavailable');
    else this.#state = 'no-room';
    return this.#state;
  }

  /** The vendor closed its answer: complete, or cut. */
  upstreamEnded(): void {
    if (this.#ended) return;
    const { rest, complete } = this.#relay.finish(this.#bodyEnd);
    if (this.#readOnBytes !== undefined) {
      this.leave();
      return;
    }
    if (!complete || this.#relay.failed) {
      this.cut('cut-by-upstream', 'upstreamBroken', rest);
      return;
    }
    const { usage, estimated } = completeUsage(this.#context, this.#relay.usage());
    const outcome = { status: 200, errorCode: null, verdict: 'complete', usage, estimated } as const;
    settleAttempt(this.#context, outcome, 'ok');
    if (!estimated) this.#measure(usage);
    this.#close('ok');
    const { response } = this.#context;
    response.end(rest);
    giveUpAfter(response, this.#times.clientStallMs);
  }

  /** The answer was whole, and its vendor told what it was. */
  #measure(usage: Usage): void {
    const { outputReasoning: reasoningTokens } = usage;
    const ms = this.#unseen.ms(this.#context.deps.clock.monotonic());
    this.#watch.measured({ outputTokens: outputTokens(usage), reasoningTokens, ms });
  }

  /** The connection broke. Behind the last event of all that is the vendor's own affair. */
  upstreamFailed(errorName: ErrorName): void {
    if (this.#relay.concluded) this.upstreamEnded();
    else this.cut('cut-by-upstream', errorName);
  }

  /** Ends the stream before its time: one error event in the client's own form, then a reset. */
  cut(verdict: Verdict, errorName: ErrorName, rest?: Buffer): void {
    if (this.#ended) return;
    if (this.#readOnBytes !== undefined) {
      this.leave();
      return;
    }
    this.#exchange.abort();
    this.#settleCut(verdict, ERRORS[errorName].code);
    this.#close(verdict);
    // A vendor's own error event has already passed: a second one would only confuse.
    resetAfter(this.#context.response, this.#relay.failed ? rest : this.#errorEvent(errorName));
  }

  #errorEvent(errorName: ErrorName): Buffer {
    const sequenceNumber = this.#relay.nextSequenceNumber;
    const error = { ...ERRORS[errorName], sequenceNumber };
    return this.#context.dialect.encodeStreamError(this.#framing, error);
  }

  /**
   * The client went away: the vendor is stopped at once, what was produced is charged. If the end of the
   * answer was seen and only its figures are missing, the vendor is read on for a moment to learn them: true,
   * and `leave` ends it.
   */
  clientGone(): boolean {
    if (this.#ended) return false;
    if (!this.#relay.ended || this.#relay.reported) {
      this.leave();
      return false;
    }
    if (this.#readOnBytes !== undefined) return true;
    this.#readOnBytes = 0;
    this.#endStall();
    this.#mark(this.#context.deps.clock.monotonic());
    this.#exchange.resume();
    return true;
  }

  /** Nobody is written to any more. Figures, more text after all, or too much of anything: it is over. */
  #readOn(bytes: number): void {
    this.#readOnBytes = bytes;
    const { ended, reported, concluded, overflowed } = this.#relay;
    if (!ended || reported || concluded || overflowed || bytes > USAGE_WAIT_BYTES_MAX) this.leave();
  }

  /** The client is gone, and what is known is charged. */
  leave(): void {
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
    resetAfter(this.#context.response, this.#relay.failed ? undefined : this.#errorEvent('internal'));
  }

  stop(): void {
    if (!this.#relay.concluded || this.#readOnBytes !== undefined) {
      this.cut('cut-by-gateway', 'unavailable');
      return;
    }
    // The client has the whole answer: only the vendor's socket is left to end.
    this.upstreamEnded();
    this.#exchange.abort();
  }

  tick(now: number): void {
    if (this.#readOnBytes !== undefined) return;
    if (this.#stalledSince === undefined) this.#tickUnseen(now);
    if (!this.began || this.#ended) return;
    if (this.#stalledSince !== undefined) {
      if (now - this.#stalledSince >= this.#times.clientStallMs) this.cut('cut-by-client', 'upstreamTimeout');
      return;
    }
    const { atBoundary, terminated, failed } = this.#relay;
    if (now - this.#lastWriteAt < this.#times.keepAliveMs || !atBoundary || terminated || failed) return;
    const { dialect, headers } = this.#context;
    this.#write(dialect.keepAlive(this.#framing, headers), now);
  }

  /** A model that reasons in silence costs more by the second. */
  #tickUnseen(now: number): void {
    if (now - this.#lastMarkAt < MARK_MS || this.#relay.terminated) return;
    if (this.#unseen.isLikely) this.#mark(now);
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
    const { call, response, deps } = this.#context;
    this.#state = 'flowing';
    call.firstByteAt = deps.clock.monotonic();
    this.#hold.begin();
    this.#watch.began();
    response.writeHead(200, this.#headers as string[]);
    const early = this.#early;
    this.#early = [];
    this.#flow(early.length === 1 ? early[0] : Buffer.concat(early), this.#earlyBytes);
  }

  #flow(bytes: Buffer | undefined, arrivedBytes: number): void {
    const now = this.#context.deps.clock.monotonic();
    this.#unseen.passed(now);
    if (this.#relay.overflowed) {
      this.cut('cut-by-upstream', 'upstreamBroken');
      return;
    }
    // Before the terminator leaves us, the exact usage is in the journal: what the client saw finished is
    // charged to the token, even if we die right behind it.
    const terminated = this.#relay.terminated && !this.#finalMarked;
    const isDue = this.#hold.passed(arrivedBytes) || now - this.#lastMarkAt >= MARK_MS;
    if (terminated || isDue) this.#mark(now);
    if (bytes !== undefined && bytes.length > 0 && !this.#ended) this.#write(bytes, now);
    // Nothing follows that is for the client.
    if (this.#relay.failed && this.#relay.concluded) this.cut('cut-by-upstream', 'upstreamBroken');
  }

  #write(bytes: Buffer, now: number): void {
    this.#lastWriteAt = now;
    this.#writer.write(bytes);
  }

  onFull(): void {
    if (this.#ended) return;
    this.#stalledSince = this.#context.deps.clock.monotonic();
    this.#exchange.pause();
  }

  onDrained(): void {
    this.#endStall();
    this.#resume();
  }

  #resume(): void {
    if (!this.#ended && !this.#hold.extending && this.#stalledSince === undefined) this.#exchange.resume();
  }

  #endStall(): void {
    if (this.#stalledSince === undefined) return;
    this.#unseen.skip(this.#context.deps.clock.monotonic() - this.#stalledSince);
    this.#stalledSince = undefined;
  }

  #mark(now: number): void {
    const { call, deps } = this.#context;
    this.#lastMarkAt = now;
    this.#finalMarked = this.#relay.terminated;
    const seen = this.#usageSoFar();
    if (!this.#finalMarked && this.#readOnBytes === undefined && this.began) {
      this.#hold.look(seen, this.#unseen.addTo(seen, now, withHiddenReasoning));
    }
    const usage = this.#unseen.addTo(seen, now, withHeldReasoning);
    if (!this.#ended) deps.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
  }

  /**
   * Counting an input costs as much as some hundred events, and a mark is only read if we die: until a stream
   * has run for a while its input is the cheap estimate. What the client sees finished is counted in full.
   */
  #usageSoFar(): Usage {
    const seen = this.#relay.usage();
    this.#marks++;
    if (seen.inputReported || this.#finalMarked || this.#marks > MARKS_ESTIMATED) {
      return completeUsage(this.#context, seen).usage;
    }
    return { ...seen.usage, inputFresh: likelyInput(this.#context) };
  }

  #settleCut(verdict: Verdict, errorCode: number | null): void {
    const seen = completeUsage(this.#context, this.#relay.usage());
    const { images } = this.#context.facts;
    // Images are made whole or not at all: who leaves while they are made has asked for all of them.
    const left = verdict === 'cut-by-client' && images > seen.usage.images;
    const known = left ? { ...seen.usage, images } : this.#paidFor(seen.usage);
    // Who is cut by the vendor owes what came of the answer, and no guess.
    const now = this.#stalledSince ?? this.#context.deps.clock.monotonic();
    const isGuessed = verdict !== 'cut-by-upstream';
    const usage = isGuessed ? this.#unseen.addTo(known, now, withHeldReasoning) : known;
    const estimated = seen.estimated || usage !== seen.usage;
    if (this.#readOnBytes !== undefined && !estimated) this.#measure(usage);
    const status = this.began ? 200 : CLIENT_CLOSED;
    settleAttempt(this.#context, { status, errorCode, verdict, usage, estimated }, verdict);
  }

  #paidFor(usage: Usage): Usage {
    const { call, deps } = this.#context;
    if (!this.#hold.isShort || call.lease === undefined || call.price === undefined) return usage;
    return withinHold(usage, call.lease.heldMicro, call.price, deps.settlement.creditsPerYuan);
  }

  #close(outcome: string): void {
    this.#ended = true;
    this.#watch.ended(outcome);
  }
}
