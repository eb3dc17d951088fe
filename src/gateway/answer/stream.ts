import { MARK_MS, USAGE_WAIT_BYTES_MAX } from '../../bounds.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import { ERRORS, type ErrorName } from '../../kernel/errors.ts';
import { outputTokens, type Usage } from '../../kernel/usage.ts';
import type { Verdict } from '../../ledger/contract.ts';
import type { BodyEnd, Framing, StreamRelay } from '../../protocol/dialect.ts';
import type { UpstreamExchange } from '../../upstream/contract.ts';
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
import { withHeldReasoning, withHiddenReasoning } from '../settle/secret-reasoning.ts';
import { withinHold } from '../settle/within-hold.ts';
import { giveUpAfter } from './answer.ts';
import { PaidInput } from './paid-input.ts';
import { resetAfter } from './reset.ts';
import type { StreamState, StreamTimes, StreamWatch } from './stream-watch.ts';
import { type ChunkSource, ChunkWriter } from './write-chunk.ts';

/** How many bytes of comments and blank lines a vendor may send before its first event. */
const EARLY_BYTES_MAX = 64 * 1024;
/** For the first marks of a stream, one a second, the input is estimated without the tokenizer. */
const MARKS_ESTIMATED = 5;

/**
 * One streamed answer between a vendor and a client. Chunks are written as they arrive. If the client does
 * not read, the vendor is paused. The 200 is sent when the first event has arrived, not before.
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
  readonly #hiddenOutput: HiddenOutput;
  readonly #writer: ChunkWriter;
  readonly #hold: HoldWatch;
  readonly #input: PaidInput;
  readonly #share: EventShare;
  #state: StreamState = 'waiting';
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #ended = false;
  #stalledSince: number | undefined;
  /** Set if the client left after the answer's end: the bytes read since then, only for the usage. */
  #readOnBytes: number | undefined;
  /** Written when a remote gate has granted more. */
  #unpaid: Buffer | undefined;
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
      resume: () => start.watch.guard(() => this.#continue()),
      short: (errorName) => start.watch.guard(() => this.cut('cut-by-gateway', errorName)),
    });
    this.#input = new PaidInput(this.#hold, this);
    const { deps, call, response } = start.context;
    this.#share = new EventShare(deps.bodies, call.caller.account.id, response);
    this.#hiddenOutput = new HiddenOutput(start.context, start.relay, start.watch.secretReasoning);
    // The vendor is at work. From here on the input is charged even if we crash, and output by the last mark.
    markInput(start.context);
    this.#lastMarkAt = start.context.deps.clock.monotonic();
  }

  /** The vendor's error, if it was the first event. */
  get firstError(): string {
    return this.#relay.firstError ?? '';
  }

  /** The usage that the vendor reported before its error. */
  get spent(): Spent {
    const { usage, estimated, inputReported } = this.#relay.usage();
    return inputReported ? { usage, estimated } : NOTHING_SPENT;
  }

  get began(): boolean {
    return this.#state === 'flowing';
  }

  push(chunk: LentBytes): StreamState {
    this.#input.push(chunk);
    return this.#state;
  }

  get closed(): boolean {
    return this.#ended || (this.#state !== 'flowing' && this.#state !== 'waiting');
  }

  take(slice: LentBytes): void {
    const bytes = this.#relay.push(slice);
    if (!this.#share.hold(this.#relay.heldBytes)) this.#outOfMemory();
    else if (this.#readOnBytes !== undefined) this.#readOn(this.#readOnBytes + slice.length);
    else if (this.#state === 'flowing') this.#flow(bytes, slice.length);
    else this.#wait(bytes);
  }

  /** The gate has granted more, or nothing. */
  #continue(): void {
    const unpaid = this.#unpaid;
    this.#unpaid = undefined;
    if (unpaid !== undefined && !this.#ended) this.#write(unpaid, this.#context.deps.clock.monotonic());
    if (this.#input.continue()) this.#resume();
  }

  /** The unfinished event is larger than the account's share of memory. */
  #outOfMemory(): void {
    if (this.#state === 'flowing') this.cut('cut-by-gateway', 'unavailable');
    else this.#state = 'no-room';
  }

  /** The vendor ended its answer, complete or not. */
  upstreamEnded(): void {
    if (this.#ended || this.#input.endsLater(() => this.upstreamEnded())) return;
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

  /** Measures the speed of a complete answer whose vendor reported its usage. */
  #measure(usage: Usage): void {
    const { outputReasoning: reasoningTokens } = usage;
    const ms = this.#hiddenOutput.ms(this.#context.deps.clock.monotonic());
    this.#watch.measured({ outputTokens: outputTokens(usage), reasoningTokens, ms });
  }

  /** The connection broke. After the last event of the answer this does not matter. */
  upstreamFailed(errorName: ErrorName): void {
    if (this.#input.endsLater(() => this.upstreamFailed(errorName))) return;
    if (this.#relay.concluded) this.upstreamEnded();
    else this.cut('cut-by-upstream', errorName);
  }

  /** Ends the stream early: one error event in the client's protocol, then a reset. */
  cut(verdict: Verdict, errorName: ErrorName, rest?: Buffer): void {
    if (this.#ended) return;
    if (this.#readOnBytes !== undefined) {
      this.leave();
      return;
    }
    this.#exchange.abort();
    this.#settleCut(verdict, ERRORS[errorName].code);
    this.#close(verdict);
    // The client already has the vendor's own error event. A second one would confuse it.
    resetAfter(this.#context.response, this.#relay.failed ? rest : this.#errorEvent(errorName));
  }

  #errorEvent(errorName: ErrorName): Buffer {
    const sequenceNumber = this.#relay.nextSequenceNumber;
    const error = { ...ERRORS[errorName], sequenceNumber };
    return this.#context.dialect.encodeStreamError(this.#framing, error);
  }

  /**
   * The client left: the vendor is stopped at once, and what was produced is charged. If the answer had ended
   * and only its usage is missing, the vendor is read a little longer. Then this returns true, and `leave`
   * ends it.
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

  /** The client is gone. Reading ends with the usage, with more text, or after too many bytes. */
  #readOn(bytes: number): void {
    this.#readOnBytes = bytes;
    const { ended, reported, concluded, overflowed } = this.#relay;
    if (!ended || reported || concluded || overflowed || bytes > USAGE_WAIT_BYTES_MAX) this.leave();
  }

  /** Ends the stream of a client that has left, and charges what is known. */
  leave(): void {
    if (this.#ended) return;
    this.#exchange.abort();
    this.#settleCut('cut-by-client', null);
    this.#close('cut-by-client');
  }

  /** An error in our code ends the call elsewhere. What was produced before it is still charged. */
  broke(): void {
    if (this.#ended || !this.began) return;
    this.#ended = true;
    try {
      this.#settleCut('cut-by-gateway', ERRORS.internal.code);
    } catch {
      // The error is in the counting itself: the call is settled without usage where it ends.
    }
    resetAfter(this.#context.response, this.#relay.failed ? undefined : this.#errorEvent('internal'));
  }

  stop(): void {
    if (!this.#relay.concluded || this.#readOnBytes !== undefined) {
      this.cut('cut-by-gateway', 'unavailable');
      return;
    }
    // The client has the whole answer: only the vendor's connection is still open.
    this.upstreamEnded();
    this.#exchange.abort();
  }

  tick(now: number): void {
    // While the gate is asked, the last slice is not written, and it may end within an event.
    if (this.#readOnBytes !== undefined || this.#hold.extending) return;
    if (this.#stalledSince === undefined) this.#tickHidden(now);
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

  /** A model that reasons without output costs more every second. */
  #tickHidden(now: number): void {
    if (now - this.#lastMarkAt < MARK_MS || this.#relay.terminated) return;
    if (this.#hiddenOutput.isLikely) this.#mark(now);
  }

  #wait(bytes: LentBytes | undefined): void {
    if (bytes !== undefined) {
      this.#early.push(ownCopy(bytes));
      this.#earlyBytes += bytes.length;
    }
    const { first } = this.#relay;
    if (first === 'error') this.#state = 'first-error';
    else if (first === 'data') this.#begin();
    else if (first === 'foreign' || this.#earlyBytes > EARLY_BYTES_MAX) this.#state = 'foreign';
  }

  #begin(): void {
    const { call, response, deps } = this.#context;
    this.#state = 'flowing';
    call.firstByteAt = deps.clock.monotonic();
    this.#watch.began();
    response.writeHead(200, this.#headers as string[]);
    const early = this.#early;
    this.#early = [];
    this.#flow(early.length === 1 ? early[0] : Buffer.concat(early), this.#earlyBytes);
  }

  #flow(bytes: LentBytes | undefined, arrivedBytes: number): void {
    const now = this.#context.deps.clock.monotonic();
    this.#hiddenOutput.passed(now);
    if (this.#relay.overflowed) {
      this.cut('cut-by-upstream', 'upstreamBroken');
      return;
    }
    // The journal has the exact usage before the terminator is sent: a call that the client saw complete is
    // charged to the token, even if we crash right after it.
    const terminated = this.#relay.terminated && !this.#finalMarked;
    const isDue = this.#hold.passed(arrivedBytes) || now - this.#lastMarkAt >= MARK_MS;
    if (terminated || isDue) this.#mark(now);
    if (bytes !== undefined && bytes.length > 0 && !this.#ended) {
      if (this.#hold.extending) this.#unpaid = ownCopy(bytes);
      else this.#write(bytes, now);
    }
    // The client gets nothing after this.
    if (this.#relay.failed && this.#relay.concluded) this.cut('cut-by-upstream', 'upstreamBroken');
  }

  #write(bytes: LentBytes, now: number): void {
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
    this.#hiddenOutput.skip(this.#context.deps.clock.monotonic() - this.#stalledSince);
    this.#stalledSince = undefined;
  }

  #mark(now: number): void {
    const { call, deps } = this.#context;
    this.#lastMarkAt = now;
    this.#finalMarked = this.#relay.terminated;
    const seen = this.#usageSoFar();
    if (this.#readOnBytes === undefined && this.began) {
      if (this.#finalMarked) this.#hold.lookAtEnd(seen);
      else this.#hold.look(seen, this.#hiddenOutput.addTo(seen, now, withHiddenReasoning));
    }
    const usage = this.#hiddenOutput.addTo(seen, now, withHeldReasoning);
    if (!this.#ended) deps.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
  }

  /**
   * Counting the input costs as much as some hundred events, and a mark is read only after a crash. So the
   * first marks use the cheap estimate. An answer that the client sees complete is counted in full.
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
    // Images are produced whole or not at all: a client that leaves meanwhile pays for all that it requested.
    const left = verdict === 'cut-by-client' && images > seen.usage.images;
    const known = left ? { ...seen.usage, images } : this.#limitToHold(seen.usage);
    // If the vendor cut the answer, only what arrived is charged, without a guess.
    const now = this.#stalledSince ?? this.#context.deps.clock.monotonic();
    const isGuessed = verdict !== 'cut-by-upstream';
    const usage = isGuessed ? this.#hiddenOutput.addTo(known, now, withHeldReasoning) : known;
    const estimated = seen.estimated || usage !== seen.usage;
    if (this.#readOnBytes !== undefined && !estimated) this.#measure(usage);
    const status = this.began ? 200 : CLIENT_CLOSED;
    settleAttempt(this.#context, { status, errorCode, verdict, usage, estimated }, verdict);
  }

  #limitToHold(usage: Usage): Usage {
    const { call, deps } = this.#context;
    if (!this.#hold.isShort || call.lease === undefined || call.price === undefined) return usage;
    return withinHold(usage, call.lease.heldMicro, call.price, deps.settlement.creditsPerYuan);
  }

  #close(outcome: string): void {
    this.#ended = true;
    this.#watch.ended(outcome);
  }
}
