import { DECODE_RATIO_MAX, UPSTREAM_INTERIM_MAX, UPSTREAM_RESEND_MS } from '../../bounds.ts';
import { Decoder, type DecoderSink, readEncoding } from '../../kernel/encoding/content-decoder.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { UpstreamExchange, UpstreamFailure, UpstreamHandler, UpstreamRequest } from '../contract.ts';
import type { AnswerHead } from './answer-head.ts';
import type { BrokenBy, Connection, ConnectionUser } from './connection.ts';
import type { OriginPool } from './pool.ts';

/** What the exchanges of one client share. */
export interface ExchangePorts {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * One request and its answer: a connection on one side, a handler on the other, and nothing in between unless
 * the vendor compressed although it was asked not to. One object per call, no closures, no promises.
 */
export class Exchange implements UpstreamExchange, ConnectionUser, DecoderSink {
  sent = false;
  readonly #ports: ExchangePorts;
  readonly #pool: OriginPool;
  readonly #handler: UpstreamHandler;
  /** Kept for a second sending only: the body is let go when the answer begins. */
  #request: UpstreamRequest | undefined;
  #connection: Connection | undefined;
  #decoder: Decoder | undefined;
  #state: 'waiting' | 'answering' | 'done' = 'waiting';
  #sending = false;
  #resent = false;
  #reused = false;
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
    pool.enter();
  }

  start(): void {
    if (this.#request === undefined) return;
    this.#sending = true;
    // A streamed body cannot be sent again, so it never meets a connection that was idle.
    this.#connection = this.#request.streamed === undefined ? this.#pool.take() : this.#pool.takeAlone();
    this.#connection.send(this.#request, this);
    this.#sending = false;
  }

  /** The call never leaves: there is no connection left for it. */
  refuse(detail: string): void {
    this.#sending = true;
    this.#uncount();
    this.#fail({ kind: 'busy', detail });
  }

  pause(): void {
    this.#paused = true;
    if (this.#decoder === undefined) this.#connection?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#decoder === undefined) this.#connection?.resume();
    else this.#decoder.resume();
  }

  abort(): void {
    this.#aborted = true;
    this.#end();
    this.#letGo();
  }

  onSending(): void {
    this.sent = true;
    this.#sentAtMs = this.#ports.clock.monotonic();
    this.#reused = this.#connection !== undefined && this.#connection.answered > 0;
  }

  onAnswerHead({ status, headers, body }: AnswerHead): void {
    if (this.#state !== 'waiting') return;
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > UPSTREAM_INTERIM_MAX) this.#breakOff('too many interim answers');
      return;
    }
    this.#state = 'answering';
    this.#request = undefined;
    const encoding = readEncoding(headers['content-encoding']);
    if (encoding === 'unsupported') {
      this.#breakOff('content encoding that was not asked for and is not known');
      return;
    }
    if (encoding !== 'identity') {
      this.#decoder = new Decoder(encoding, DECODE_RATIO_MAX, this);
      if (this.#paused) {
        // From here on the decoder is what waits; the socket waits for the decoder.
        this.#decoder.pause();
        this.#connection?.resume();
      }
      delete headers['content-encoding'];
      delete headers['content-length'];
    }
    try {
      const bodyEnd = body === 'until-close' ? 'closed' : 'counted';
      this.#handler.onHead({ status, headers, bodyEnd });
    } catch (error) {
      this.#stumble(error);
    }
  }

  onAnswerBody(bytes: LentBytes): void {
    if (this.#state !== 'answering') return;
    if (this.#decoder === undefined) this.onDecoded(bytes);
    else if (!this.#decoder.write(ownCopy(bytes))) this.#connection?.pause();
  }

  onWhole(): void {
    this.#uncount();
    if (this.#state !== 'answering') return;
    if (this.#decoder === undefined) this.onDecodedEnd();
    else this.#decoder.end();
  }

  onBroken(failure: UpstreamFailure, by: BrokenBy): void {
    if (by === 'peer' && this.#mayResend()) {
      this.#resend();
      return;
    }
    this.#uncount();
    // Of a second sending that found no connection: the first one may be at work.
    this.#fail(failure.kind === 'connect' && this.sent ? { ...failure, kind: 'reset' } : failure);
  }

  onDecoded(chunk: LentBytes): void {
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
    // A compressed answer may end before the vendor does: what it still sends is nobody's.
    this.#letGo();
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
    this.#connection?.resume();
  }

  /**
   * A vendor may close an idle connection in the very moment in which we use it again. The request is sent a
   * second time, once, on a connection of its own, only if all of this is true: the socket had answered
   * before (so it was idle, not young), not one byte of an answer came, the other side closed it, and it did
   * so within the time a close needs to reach us. A vendor that took the request and died later is a failure.
   */
  #mayResend(): boolean {
    return (
      this.#state === 'waiting' &&
      this.#request !== undefined &&
      this.#reused &&
      !this.#resent &&
      this.#connection?.heard === false &&
      this.#ports.clock.monotonic() - this.#sentAtMs <= UPSTREAM_RESEND_MS
    );
  }

  #resend(): void {
    if (this.#request === undefined) return;
    this.#resent = true;
    this.#release();
    this.#connection = this.#pool.takeAlone();
    if (this.#paused) this.#connection.pause();
    this.#connection.send(this.#request, this);
  }

  /** The vendor's answer is of no use: close the connection and say so. */
  #breakOff(detail: string): void {
    this.#letGo();
    this.#fail({ kind: 'protocol', detail });
  }

  /** Our own handler threw. The call ends, the process does not; the log has the cause. */
  #stumble(error: unknown): void {
    this.#ports.log.error({ err: error }, 'an upstream answer could not be handled');
    this.#letGo();
    this.#fail({ kind: 'reset', detail: 'internal: the answer could not be handled' });
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#state === 'done') return;
    this.#end();
    // The caller of `send` has no exchange in its hands yet: it learns of the failure a moment later.
    if (this.#sending) queueMicrotask(() => this.#report(failure));
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

  /** Closes what this call has begun; a connection that others use by now is not touched. */
  #letGo(): void {
    this.#connection?.abandon(this);
    this.#uncount();
  }

  #uncount(): void {
    if (!this.#counted) return;
    this.#counted = false;
    this.#release();
    this.#pool.leave();
  }

  /** From here on the connection may be another call's. */
  #release(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#pool.release(connection);
  }
}
