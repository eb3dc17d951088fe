import { MARK_MS } from '../../bounds.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import { ERRORS, type ErrorName } from '../../kernel/errors.ts';
import { outputTokens, type Usage } from '../../kernel/usage.ts';
import type { Verdict } from '../../ledger/contract.ts';
import type { BodyEnd, Framing, StreamRelay } from '../../protocol/dialect.ts';
import type { UpstreamExchange } from '../../upstream/contract.ts';
import { type AttemptContext, completeUsage, settleAttempt } from '../attempt/attempt-context.ts';
import { NOTHING_SPENT, type Spent } from '../attempt/attempt-result.ts';
import { EventShare } from '../attempt/event-share.ts';
import { CLIENT_CLOSED } from '../call.ts';
import { markInput } from '../settle/client-left.ts';
import { HiddenOutput } from '../settle/hidden-output.ts';
import { HoldWatch } from '../settle/hold-watch.ts';
import { ReadOn, type ReadOnReason } from '../settle/read-on.ts';
import { withHeldReasoning, withHiddenReasoning } from '../settle/secret-reasoning.ts';
import { SpentSoFar } from '../settle/spent-so-far.ts';
import { giveUpAfter } from './answer.ts';
import { PaidInput } from './paid-input.ts';
import { resetAfter } from './reset.ts';
import type { StreamState, StreamTimes, StreamWatch } from './stream-watch.ts';
import { type ChunkSource, ChunkWriter } from './write-chunk.ts';

/** How many bytes of comments and blank lines a vendor may send before its first event. */
const EARLY_BYTES_MAX = 64 * 1024;

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
  readonly #spent: SpentSoFar;
  readonly #input: PaidInput;
  readonly #share: EventShare;
  #state: StreamState = 'waiting';
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #ended = false;
  #stalledSince: number | undefined;
  /** Set if the client has left, and the vendor is read only for its usage. */
  #readOn: ReadOn | undefined;
  /** Written when a remote gate has granted more. */
  #unpaid: Buffer | undefined;
  #lastWriteAt = 0;
  #lastMarkAt = 0;
  #finalMarked = false;

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
    const watched = { hidden: this.#hiddenOutput, hold: this.#hold };
    this.#spent = new SpentSoFar(start.context, start.relay, watched);
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
    else if (this.#readOn !== undefined) this.#passUnseen(this.#readOn, slice.length);
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
    if (this.#readOn !== undefined) {
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
    if (this.#readOn !== undefined) {
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
   * The client left: the vendor is stopped at once, and what was produced is charged. If only the vendor can
   * tell what that is, it is read a little longer. Then this returns for how long, and `leave` ends it.
   */
  clientGone(): number | undefined {
    if (this.#ended) return undefined;
    const reason = this.#reasonToReadOn();
    if (reason === undefined) {
      this.leave();
      return undefined;
    }
    this.#endStall();
    const readOn = new ReadOn(reason, this.#spentUntilNow('cut-by-client'));
    const { call, deps } = this.#context;
    deps.journal.mark(call.id, readOn.spent.usage, call.lease?.heldMicro ?? 0n);
    this.#readOn = readOn;
    this.#resume();
    return readOn.ms;
  }

  #reasonToReadOn(): ReadOnReason | undefined {
    const { ended, reported, concluded, failed } = this.#relay;
    if (reported || concluded || failed) return undefined;
    if (this.#hiddenOutput.isOutOfSight) return 'hidden';
    return ended ? 'ended' : undefined;
  }

  /** The client is gone. A hold that is used up ends the reading too. */
  #passUnseen(readOn: ReadOn, bytes: number): void {
    if (readOn.isOver(this.#relay, bytes)) this.leave();
    else if (this.began && this.#hold.passed(bytes)) {
      const seen = this.#spent.mark('passing');
      this.#hold.look(seen, seen);
    }
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
    if (!this.#relay.concluded || this.#readOn !== undefined) {
      this.cut('cut-by-gateway', 'unavailable');
      return;
    }
    // The client has the whole answer: only the vendor's connection is still open.
    this.upstreamEnded();
    this.#exchange.abort();
  }

  tick(now: number): void {
    // While the gate is asked, the last slice is not written, and it may end within an event.
    if (this.#readOn !== undefined || this.#hold.extending) return;
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
    const { first, broken } = this.#relay;
    if (first === 'error') this.#state = 'first-error';
    else if (broken) this.#state = 'foreign';
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
    const { failed, concluded, broken } = this.#relay;
    if (broken || (failed && concluded)) this.cut('cut-by-upstream', 'upstreamBroken');
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
    const seen = this.#spent.mark(this.#finalMarked ? 'final' : 'passing');
    if (this.began) {
      if (this.#finalMarked) this.#hold.lookAtEnd(seen);
      else this.#hold.look(seen, this.#hiddenOutput.addTo(seen, now, withHiddenReasoning));
    }
    const usage = this.#hiddenOutput.addTo(seen, now, withHeldReasoning);
    if (!this.#ended) deps.journal.mark(call.id, usage, call.lease?.heldMicro ?? 0n);
  }

  #settleCut(verdict: Verdict, errorCode: number | null): void {
    const readOn = this.#readOn;
    const spent = readOn === undefined ? this.#spentUntilNow(verdict) : this.#learned(readOn);
    const status = this.began ? 200 : CLIENT_CLOSED;
    settleAttempt(this.#context, { status, errorCode, verdict, ...spent }, verdict);
  }

  /** The vendor's own usage, or what was produced until the client left. */
  #learned(readOn: ReadOn): Spent {
    if (this.#relay.first === 'error') return this.spent;
    if (!this.#relay.reported) return readOn.spent;
    const spent = this.#spentUntilNow('cut-by-client');
    if (!spent.estimated) this.#measure(spent.usage);
    return spent;
  }

  #spentUntilNow(verdict: Verdict): Spent {
    return this.#spent.cut(verdict, this.#stalledSince ?? this.#context.deps.clock.monotonic());
  }

  #close(outcome: string): void {
    this.#ended = true;
    this.#watch.ended(outcome);
  }
}
