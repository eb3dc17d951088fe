import { ERROR_BODY_BYTES_MAX, RESPONSE_BODY_BYTES_MAX } from '../../bounds.ts';
import type { Route } from '../../catalog/contract.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { PlainAnswer } from '../../protocol/dialect.ts';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHandler,
  UpstreamHead,
} from '../../upstream/contract.ts';
import { classify } from '../admit/route.ts';
import { endAnswer, giveUpAfter, totalBytes } from '../answer/answer.ts';
import { resetAfter } from '../answer/reset.ts';
import { servedHeaders } from '../answer/served-headers.ts';
import { StreamAnswer } from '../answer/stream.ts';
import { isEventStream } from '../convert/pass-through.ts';
import { JOB_CREATE_WAIT_MS } from '../jobs/bounds.ts';
import { markInput, settleClientLeft } from '../settle/client-left.ts';
import { READ_ON } from '../settle/read-on.ts';
import { findHiddenReasoning, type HiddenReasoning, isOutOfSight } from '../settle/secret-reasoning.ts';
import { type AttemptContext, settleAttemptInTurn, unreportedUsage } from './attempt-context.ts';
import {
  type AttemptResult,
  FAILURES,
  NOTHING_SPENT,
  type RouteFailure,
  type VendorError,
} from './attempt-result.ts';
import type { AttemptWatch } from './attempt-watch.ts';
import { HeldBody } from './held-body.ts';
import type { CallInFlight } from './in-flight.ts';
import { noteJob } from './note-job.ts';
import { answeredError, vendorErrorBody, vendorErrorStatus, withTrueStatus } from './vendor-error.ts';

/** Answers up to this size go to the socket at once and need no listener. */
const SMALL_ANSWER_BYTES = 64 * 1024;

/** One try of one route, from the first byte sent until the client has the answer or the route has failed. */
export class RouteAttempt implements UpstreamHandler, CallInFlight {
  place = -1;
  readonly #context: AttemptContext;
  readonly #route: Route;
  readonly #watch: AttemptWatch;
  readonly #settle: PromiseWithResolvers<AttemptResult>;
  readonly #onClose = (): void => this.#guard(() => this.#leave());
  #exchange: UpstreamExchange | undefined;
  #head: UpstreamHead | undefined;
  #headAt = 0;
  #stream: StreamAnswer | undefined;
  readonly #body: HeldBody;
  #bytesMax = ERROR_BODY_BYTES_MAX;
  /** The client has left. The rest is read only for its usage. */
  #left = false;
  #endReadOn: (() => void) | undefined;
  /** The journal has a mark that this slow plain answer has begun. */
  #marked = false;
  #done = false;

  constructor(
    context: AttemptContext,
    route: Route,
    watch: AttemptWatch,
    settle: PromiseWithResolvers<AttemptResult>,
  ) {
    this.#context = context;
    this.#route = route;
    this.#watch = watch;
    this.#settle = settle;
    this.#body = new HeldBody(context.deps.bodies, context.call.caller.account.id);
  }

  /** The exchange is known only after `send` has returned. No callback runs before that. */
  attach(exchange: UpstreamExchange): void {
    this.#exchange = exchange;
    if (this.#done) return;
    this.#context.deps.inFlight.add(this);
    this.#context.response.once('close', this.#onClose);
  }

  onHead(head: UpstreamHead): void {
    this.#guard(() => this.#takeHead(head));
  }

  onData(chunk: LentBytes): void {
    // No guard function here: this code runs for every chunk.
    try {
      this.#takeData(chunk);
    } catch (error) {
      this.#broke(error);
    }
  }

  onEnd(): void {
    this.#guard(() => this.#takeEnd());
  }

  onFailure(failure: UpstreamFailure): void {
    this.#guard(() => this.#takeFailure(failure));
  }

  /**
   * An error in our code must not surface in the HTTP client, a socket event or the shared timer, where it
   * would end the process. It ends this call only.
   */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#broke(error);
    }
  }

  #broke(error: unknown): void {
    this.#exchange?.abort();
    this.#settle.reject(error);
    // The call has already ended, so nothing else would end its answer.
    if (this.#done) resetAfter(this.#context.response, undefined);
    else this.#stream?.broke();
    this.#close();
  }

  #takeHead(head: UpstreamHead): void {
    this.#head = head;
    this.#headAt = this.#context.deps.clock.monotonic();
    this.#context.call.headAt = this.#headAt;
    if (classify(head.status) !== 'success') return;
    if (!this.#left) this.#bytesMax = RESPONSE_BODY_BYTES_MAX;
    const framing = this.#context.facts.stream ? this.#watch.translation.findFraming(head) : undefined;
    if (framing === undefined || this.#exchange === undefined) return;
    const { translation, ticket } = this.#watch;
    this.#stream = new StreamAnswer({
      context: this.#context,
      relay: translation.relay(framing),
      framing: translation.clientFraming(framing),
      times: this.#watch.times,
      exchange: this.#exchange,
      headers: [...this.#answerHeaders(head), 'cache-control', 'no-cache', 'x-accel-buffering', 'no'],
      bodyEnd: head.bodyEnd,
      watch: {
        began: () => ticket.began(),
        measured: (measured) => ticket.speed.measure(measured),
        secretReasoning: () => this.#secretReasoning(),
        ended: (outcome) => this.#finish({ kind: 'answered', outcome }),
        guard: (work) => this.#guard(work),
      },
    });
  }

  #takeData(chunk: LentBytes): void {
    if (this.#done) return;
    this.#context.call.trace?.answerArrived(chunk);
    const stream = this.#stream;
    const taken = stream === undefined ? this.#body.add(chunk, this.#bytesMax) : stream.push(chunk);
    if (taken === 'first-error' && stream !== undefined) this.#firstEventFailed(stream);
    else if (taken === 'foreign') this.#notStreamed('broken');
    if (taken !== 'no-room' && taken !== 'too-large') return;
    this.#exchange?.abort();
    // Lack of memory is our failure: the route is fine, and another one would produce the same answer.
    this.#fail({ outcome: taken, kind: taken === 'no-room' ? 'stopped' : 'misfit', error: undefined });
  }

  #takeEnd(): void {
    if (this.#done || this.#head === undefined) return;
    if (this.#stream !== undefined) {
      if (this.#stream.began || this.#left) this.#stream.upstreamEnded();
      else this.#fail({ outcome: 'empty-stream', kind: 'broken', error: undefined });
      return;
    }
    const head = this.#head;
    const body = this.#body.whole();
    if (Buffer.isBuffer(body)) this.#takeWhole(head, body);
    else body.then((whole) => this.#guard(() => this.#takeWhole(head, whole)));
  }

  #takeWhole(head: UpstreamHead, body: Buffer): void {
    if (this.#done) return;
    if (classify(head.status) === 'success') this.#readPlain(head, body);
    else this.#vendorFailed({ status: head.status, headers: head.headers, body });
  }

  #takeFailure(failure: UpstreamFailure): void {
    if (this.#done) return;
    this.#context.deps.log.warn(
      { requestId: this.#context.call.id, route: this.#route.id, kind: failure.kind, detail: failure.detail },
      'upstream failed',
    );
    if (this.#stream?.began) {
      this.#stream.upstreamFailed(failure.kind === 'idle' ? 'upstreamTimeout' : 'upstreamBroken');
      return;
    }
    this.#fail({ outcome: failure.kind, kind: FAILURES[failure.kind], error: undefined });
  }

  #leave(): void {
    if (this.#done) return;
    if (this.#stream !== undefined) {
      const waitMs = this.#stream.clientGone();
      if (waitMs !== undefined) this.#readOn(waitMs);
      return;
    }
    const { facts } = this.#context;
    const isMade = this.#head !== undefined && classify(this.#head.status) === 'success';
    const atWork = this.#exchange?.sent === true && this.#head === undefined;
    // A job goes on without its client. Without its id nobody could pay for it.
    const isJob = atWork && facts.job !== undefined;
    const isHidden =
      (isMade || atWork) && !facts.stream && isOutOfSight(this.#secretReasoning(), 'shows-nothing');
    if ((isMade && !facts.stream) || isJob || isHidden) {
      // A plain answer is complete when its head arrives, so its usage is about to arrive too.
      const { ms, bytesMax } = READ_ON[isHidden ? 'hidden' : 'ended'];
      this.#bytesMax = Math.min(RESPONSE_BODY_BYTES_MAX, this.#body.bytes + bytesMax);
      markInput(this.#context);
      this.#readOn(isJob ? JOB_CREATE_WAIT_MS : ms);
      return;
    }
    this.#exchange?.abort();
    // A plain answer shows nothing until it is complete. The vendor was at work and charges for it.
    if (isMade || (atWork && !facts.stream)) settleClientLeft(this.#context);
    this.#finish({ kind: 'answered', outcome: 'cut-by-client' });
  }

  #secretReasoning(): HiddenReasoning {
    const { translation, ticket } = this.#watch;
    return findHiddenReasoning(this.#route, translation, ticket.speed);
  }

  #readOn(waitMs: number): void {
    const { facts, deps } = this.#context;
    const kind = facts.job === undefined ? 'call' : 'job';
    this.#left = true;
    this.#endReadOn = deps.inFlight.readOn(kind, waitMs, () => this.#guard(() => this.#giveUpUsage()));
    if (this.#endReadOn === undefined) this.#giveUpUsage();
  }

  /** The usage did not arrive in time, or never will. */
  #giveUpUsage(): void {
    if (this.#stream !== undefined) {
      this.#stream.leave();
      return;
    }
    this.#exchange?.abort();
    settleClientLeft(this.#context);
    this.#finish({ kind: 'answered', outcome: 'cut-by-client' });
  }

  /** The process ends while the client still waits for its first byte. */
  stop(): void {
    this.#guard(() => this.#stopNow());
  }

  #stopNow(): void {
    if (this.#done) return;
    if (this.#left) this.#giveUpUsage();
    else if (this.#stream?.began) this.#stream.stop();
    else {
      this.#exchange?.abort();
      this.#fail({ outcome: 'stopped', kind: 'stopped', error: undefined });
    }
  }

  tick(now: number): void {
    this.#guard(() => this.#look(now));
  }

  #look(now: number): void {
    const stream = this.#stream;
    stream?.tick(now);
    if (this.#done || stream?.began) return;
    const { streamTimeouts, plainTimeouts } = this.#context.deps;
    const { firstByteMs } = stream === undefined ? plainTimeouts : streamTimeouts;
    if (this.#head === undefined) return;
    if (!this.#marked && stream === undefined && classify(this.#head.status) === 'success') {
      this.#marked = true;
      markInput(this.#context);
    }
    if (now - this.#headAt < firstByteMs) return;
    // Comments keep a connection busy without progress, and so does a body that comes byte by byte.
    this.#exchange?.abort();
    this.#fail({ outcome: stream === undefined ? 'timeout' : 'no-event', kind: 'timeout', error: undefined });
  }

  get streaming(): boolean {
    return this.#stream?.began ?? false;
  }

  #readPlain(head: UpstreamHead, body: Buffer): void {
    const answer = this.#watch.translation.readAnswer(body, this.#body.outline);
    const take = (read: PlainAnswer): void => this.#guard(() => this.#answerPlain(head, read));
    if (answer instanceof Promise) answer.then(take, (error) => this.#broke(error));
    else this.#answerPlain(head, answer);
  }

  #answerPlain(head: UpstreamHead, answer: PlainAnswer): void {
    if (this.#done) return;
    const { facts, call, response } = this.#context;
    if (!answer.valid) {
      const kind = !facts.stream && isEventStream(head) ? 'misfit' : 'broken';
      this.#fail({ outcome: 'not-an-answer', kind, error: undefined });
      return;
    }
    if (answer.isError) {
      const vendorError = answeredError(head.headers, answer);
      if (vendorError === undefined)
        this.#fail({ outcome: 'not-an-answer', kind: 'broken', error: undefined });
      else this.#vendorFailed(vendorError.error, vendorError.spent);
      return;
    }
    if (facts.stream && this.#context.dialect.mayNotStream !== true) {
      this.#notStreamed('misfit');
      return;
    }
    const usage = answer.usage ?? unreportedUsage(this.#context, answer);
    this.#watch.ticket.speed.noteReasoning(usage.outputReasoning);
    if (answer.jobId !== undefined) noteJob(this.#context, this.#route, answer.jobId);
    if (this.#left) {
      settleClientLeft(this.#context, { usage, estimated: answer.usage === undefined });
      this.#finish({ kind: 'answered', outcome: 'cut-by-client' });
      return;
    }
    call.firstByteAt = this.#context.deps.clock.monotonic();
    const headers = this.#answerHeaders(head);
    headers.push('content-length', String(totalBytes(answer.pieces)));
    const estimated = answer.usage === undefined;
    const outcome = { status: head.status, errorCode: null, verdict: 'complete', usage, estimated } as const;
    settleAttemptInTurn(this.#context, outcome, 'ok');
    // The answer stays in memory until the client has read it, not only until it is parsed.
    const { bodies, journal } = this.#context.deps;
    const heldBytes = this.#body.release();
    const giveBack = (): void => bodies.give(call.caller.account.id, heldBytes);
    if (heldBytes > SMALL_ANSWER_BYTES) response.once('close', giveBack);
    else giveBack();
    this.#close();
    // The answers of one turn are sent together at its end. A reader is then woken once for all of them, and
    // writing to a reader that is awake costs half as much.
    const send = (): void =>
      this.#guard(() => {
        journal.flush();
        response.writeHead(head.status, headers);
        endAnswer(response, answer.pieces);
        if (heldBytes > SMALL_ANSWER_BYTES) giveUpAfter(response, this.#watch.times.clientStallMs);
        this.#settle.resolve({ kind: 'answered', outcome: 'ok' });
      });
    setImmediate(send);
  }

  #answerHeaders(head: UpstreamHead): string[] {
    return servedHeaders(this.#context, this.#route, this.#watch.translation, head);
  }

  /** Rule C-10: an error as the first event is an ordinary error with its own status. */
  #firstEventFailed({ firstError, spent }: StreamAnswer): void {
    this.#exchange?.abort();
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.from(vendorErrorBody(firstError));
    this.#vendorFailed({ status: vendorErrorStatus(firstError), headers, body }, spent);
  }

  /** A client that expects events would read an answer without events as an empty success. */
  #notStreamed(kind: 'misfit' | 'broken'): void {
    this.#exchange?.abort();
    this.#fail({ outcome: 'not-a-stream', kind, error: undefined });
  }

  #vendorFailed(answered: VendorError, spent = NOTHING_SPENT): void {
    const meant = withTrueStatus(answered);
    // Errors about the account's own key are passed on unchanged.
    const error = this.#route.credential.ownerAccountId === undefined ? meant : answered;
    const outcome = String(error.status);
    // A redirect or an answer without content is not an error that a client can read.
    if (error.status < 400) this.#fail({ outcome, kind: 'broken', error: undefined });
    else if (classify(meant.status) === 'client-error') this.#finish({ kind: 'rejected', error, spent });
    else this.#fail({ outcome, kind: 'vendor-error', error });
  }

  #fail(failure: RouteFailure): void {
    // The client has left: no other route is tried. After an error of the vendor nothing is owed.
    if (this.#left && failure.error === undefined) this.#giveUpUsage();
    else this.#finish({ kind: 'route-failed', failure });
  }

  #finish(result: AttemptResult): void {
    if (this.#done) return;
    this.#close();
    this.#settle.resolve(result);
  }

  /** After this, callbacks of the vendor and the client have no effect. */
  #close(): void {
    if (this.#done) return;
    this.#done = true;
    this.#endReadOn?.();
    const { deps, call } = this.#context;
    deps.bodies.give(call.caller.account.id, this.#body.release());
    this.#context.deps.inFlight.delete(this);
    this.#context.response.off('close', this.#onClose);
    this.#watch.translation.save();
  }
}
