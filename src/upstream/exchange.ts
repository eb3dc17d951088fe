import type { Dispatcher } from 'undici';
import {
  DECODE_RATIO_MAX,
  UPSTREAM_COPY_BYTES_MAX,
  UPSTREAM_INTERIM_MAX,
  UPSTREAM_RESEND_MS,
} from '../bounds.ts';
import type { Clock } from '../kernel/clock.ts';
import { Decoder, type DecoderSink, readEncoding } from '../kernel/decoder.ts';
import type { Logger } from '../kernel/log.ts';
import type { UpstreamExchange, UpstreamFailure, UpstreamHandler, UpstreamRequest } from './contract.ts';
import { describeFailure, describeUnsent, isClosedByPeer } from './failure.ts';
import type { Connection, ConnectionUser, OriginPool } from './pool.ts';

/** What the exchanges of one client share. */
export interface ExchangePorts {
  readonly clock: Clock;
  readonly log: Logger;
}

const ABORTED = new Error('aborted');

/**
 * One request and its answer: undici's handler on one side, ours on the other, and nothing in between unless
 * the vendor compressed although it was asked not to. One object per call, no closures, no promises.
 */
export class Exchange implements UpstreamExchange, ConnectionUser, DecoderSink {
  connection: Connection | undefined;
  sent = false;
  readonly #ports: ExchangePorts;
  readonly #pool: OriginPool;
  readonly #handler: UpstreamHandler;
  /** Kept for a second sending only: the body is let go when the answer begins. */
  #request: UpstreamRequest | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;
  #state: 'waiting' | 'answering' | 'done' = 'waiting';
  #dispatching = false;
  #resent = false;
  #reused = false;
  #responseSeen = false;
  #paused = false;
  #aborted = false;
  #counted = true;
  #interim = 0;
  #sentAtMs = 0;

  constructor(ports: ExchangePorts, pool: OriginPool, request: UpstreamRequest, handler: UpstreamHandler) {
    this.#ports = ports;
    this.#pool = pool;
    this.#request = request;
    this.#handler = handler;
    pool.active += 1;
  }

  start(): void {
    if (this.#request === undefined) return;
    this.#dispatching = true;
    this.#pool.dispatch(dispatchOptions(this.#request), this);
    this.#dispatching = false;
  }

  /** The call never leaves: there is no connection left for it. */
  refuse(detail: string): void {
    this.#dispatching = true;
    this.#uncount();
    this.#fail({ kind: 'busy', detail });
  }

  pause(): void {
    this.#paused = true;
    if (this.#decoder === undefined) this.#controller?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#decoder === undefined) this.#controller?.resume();
    else this.#decoder.resume();
  }

  abort(): void {
    this.#aborted = true;
    this.#end();
    // Before the request is written there is no controller yet; `onRequestStart` comes back to this.
    this.#controller?.abort(ABORTED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) {
      controller.abort(ABORTED);
      return;
    }
    if (this.#paused) controller.pause();
    this.sent = true;
    this.#sentAtMs = this.#ports.clock.monotonic();
    this.#reused = this.connection !== undefined && this.connection.answered > 0;
  }

  /** undici calls it at the first byte of an answer. */
  onResponseStarted(): void {
    this.#responseSeen = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#state !== 'waiting') return;
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > UPSTREAM_INTERIM_MAX) this.#breakOff('too many interim answers');
      return;
    }
    this.#state = 'answering';
    this.#request = undefined;
    const plain = joinRepeated(headers);
    const encoding = readEncoding(plain['content-encoding']);
    if (encoding === 'unsupported') {
      this.#breakOff('content encoding that was not asked for and is not known');
      return;
    }
    if (encoding !== 'identity') {
      this.#decoder = new Decoder(encoding, DECODE_RATIO_MAX, this);
      if (this.#paused) {
        // From here on the decoder is what waits; the socket waits for the decoder.
        this.#decoder.pause();
        controller.resume();
      }
      delete plain['content-encoding'];
      delete plain['content-length'];
    }
    try {
      this.#handler.onHead({ status, headers: plain });
    } catch (error) {
      this.#stumble(error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state !== 'answering') return;
    if (this.#decoder === undefined) this.onDecoded(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.connection !== undefined) this.connection.answered += 1;
    this.#uncount();
    if (this.#state !== 'answering') return;
    if (this.#decoder === undefined) this.onDecodedEnd();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#mayResend(error)) {
      this.#resend();
      return;
    }
    this.#uncount();
    this.#fail(this.sent ? describeFailure(error) : describeUnsent(error));
  }

  onDecoded(chunk: Buffer): void {
    if (this.#state !== 'answering') return;
    try {
      this.#handler.onData(chunk);
    } catch (error) {
      this.#stumble(error);
    }
  }

  onDecodedEnd(): void {
    if (this.#state !== 'answering') return;
    this.#end();
    try {
      this.#handler.onEnd();
    } catch (error) {
      this.#ports.log.error({ err: error }, 'the end of an upstream answer could not be handled');
    }
  }

  onDecodeFailure(reason: 'corrupt' | 'bomb'): void {
    this.#breakOff(reason === 'bomb' ? 'compressed beyond the ratio allowed' : 'compressed body is corrupt');
  }

  onDecoderDrain(): void {
    this.#controller?.resume();
  }

  /**
   * A vendor may close an idle connection in the very moment in which we use it again. The request is sent a
   * second time, once, on a connection of its own, only if all of this is true: the socket had answered
   * before (so it was idle, not young), not one byte of an answer came, the other side closed it, and it did
   * so within the time a close needs to reach us. A vendor that took the request and died later is a failure.
   */
  #mayResend(error: Error): boolean {
    return (
      this.#state === 'waiting' &&
      this.#request !== undefined &&
      this.#reused &&
      !this.#resent &&
      !this.#responseSeen &&
      isClosedByPeer(error) &&
      this.#ports.clock.monotonic() - this.#sentAtMs <= UPSTREAM_RESEND_MS
    );
  }

  #resend(): void {
    if (this.#request === undefined) return;
    this.#resent = true;
    this.#controller = undefined;
    this.#release();
    this.#pool.dispatchAlone(dispatchOptions(this.#request), this);
  }

  /** The vendor's answer is of no use: close the connection and say so. */
  #breakOff(detail: string): void {
    this.#fail({ kind: 'protocol', detail });
    this.#controller?.abort(ABORTED);
  }

  /** Our own handler threw. The call ends, the process does not; the log has the cause. */
  #stumble(error: unknown): void {
    this.#ports.log.error({ err: error }, 'an upstream answer could not be handled');
    this.#fail({ kind: 'reset', detail: 'internal: the answer could not be handled' });
    this.#controller?.abort(ABORTED);
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#state === 'done') return;
    this.#end();
    // The caller of `send` has no exchange in its hands yet: it learns of the failure a moment later.
    if (this.#dispatching) queueMicrotask(() => this.#report(failure));
    else this.#report(failure);
  }

  #report(failure: UpstreamFailure): void {
    if (this.#aborted) return;
    try {
      this.#handler.onFailure(failure);
    } catch (error) {
      this.#ports.log.error({ err: error }, 'an upstream failure could not be handled');
    }
  }

  #end(): void {
    this.#state = 'done';
    this.#request = undefined;
    this.#decoder?.destroy();
  }

  #uncount(): void {
    if (!this.#counted) return;
    this.#counted = false;
    this.#pool.active -= 1;
    this.#release();
  }

  #release(): void {
    if (this.connection !== undefined) this.#pool.release(this.connection);
  }
}

function dispatchOptions(request: UpstreamRequest): Dispatcher.DispatchOptions {
  const { body, headers } = request;
  const first = body[0];
  const bytes = body.length === 1 && first !== undefined ? first.length : totalBytes(body);
  const large = bytes > UPSTREAM_COPY_BYTES_MAX;
  return {
    path: request.path,
    method: request.method,
    headers: large ? [...headers, 'content-length', String(bytes)] : (headers as string[]),
    body: large
      ? piecemeal(body)
      : body.length > 1
        ? Buffer.concat(body as Buffer[], bytes)
        : (first ?? null),
    headersTimeout: request.timeouts.firstByteMs,
    bodyTimeout: request.timeouts.idleMs,
  };
}

/**
 * undici keeps a Buffer until the answer has ended, which for a stream is minutes; a used-up iterator holds
 * nothing. It takes any iterable, though its types do not say so.
 */
function piecemeal(body: readonly Buffer[]): Buffer {
  return pieces([...body]) as unknown as Buffer;
}

function* pieces(rest: Buffer[]): Generator<Buffer> {
  for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) yield piece;
}

function totalBytes(body: readonly Buffer[]): number {
  let bytes = 0;
  for (const piece of body) bytes += piece.length;
  return bytes;
}

/** In place: undici made the object for this answer alone. */
function joinRepeated(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = value === undefined ? '' : value.join(', ');
  }
  return headers as Record<string, string>;
}
