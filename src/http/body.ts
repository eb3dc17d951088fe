import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODIES_IN_FLIGHT_BYTES_MAX, DECODE_RATIO_MAX, REQUEST_BODY_BYTES_MAX } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import {
  Decoder,
  type DecoderSink,
  type Encoding,
  readEncoding,
} from '../kernel/encoding/content-decoder.ts';
import { type Refusal, refuse } from '../kernel/errors.ts';
import {
  BODY_DISCARD_BYTES_MAX,
  BODY_DISCARD_MS,
  BODY_LARGE_BYTES,
  BODY_LARGE_INTERVAL_MS,
  BODY_LARGE_RATE_BYTES_MIN,
  BODY_RATE_BYTES_MIN,
  BODY_RATE_INTERVAL_MS,
  BODY_SLOW_AFTER_MS,
} from './bounds.ts';
import { type BudgetOwner, ByteBudget } from './budget.ts';
import { Collector } from './collector.ts';

/** A request body in memory. Its owner must release its bytes to the budget exactly once. */
export interface RequestBody {
  readonly kind: 'body';
  readonly bytes: Buffer;
  release(): void;
}

/** There is no answer: the client is gone, or was too slow and its connection was closed. */
export interface BodyAborted {
  readonly kind: 'aborted';
  readonly reason: 'gone' | 'slow';
}

export type BodyResult = RequestBody | Refusal | BodyAborted;

export interface BodyLimits {
  readonly bytesMax: number;
  readonly ratioMax: number;
  readonly slowAfterMs: number;
  readonly rateIntervalMs: number;
  readonly rateBytesMin: number;
  /** From this size on, other times and rates apply. */
  readonly largeBytes: number;
  readonly largeIntervalMs: number;
  readonly largeRateBytesMin: number;
}

export const BODY_LIMITS: BodyLimits = {
  bytesMax: REQUEST_BODY_BYTES_MAX,
  ratioMax: DECODE_RATIO_MAX,
  slowAfterMs: BODY_SLOW_AFTER_MS,
  rateIntervalMs: BODY_RATE_INTERVAL_MS,
  rateBytesMin: BODY_RATE_BYTES_MIN,
  largeBytes: BODY_LARGE_BYTES,
  largeIntervalMs: BODY_LARGE_INTERVAL_MS,
  largeRateBytesMin: BODY_LARGE_RATE_BYTES_MIN,
};

/** The wait after a full budget: other bodies end all the time. */
const BUDGET_WAIT_MS = 1_000;
const NOT_DECODABLE = 'The request body cannot be decoded with its content encoding';
const SWOLLEN = `The request body decodes to more than ${DECODE_RATIO_MAX} times its size`;

/** The part of the response that controls whether Node closes after writing, and `100 Continue`. */
type Closing = Pick<ServerResponse, 'shouldKeepAlive' | 'writeContinue'>;

/** With the response, a refusal reaches even a client that sent `connection: close`. */
export type BodyRead = (
  request: IncomingMessage,
  owner: BudgetOwner,
  response?: Closing,
) => Promise<BodyResult>;

/** Reads the bodies of one process within one budget. */
export function createBodyReader(
  budget: ByteBudget = new ByteBudget(BODIES_IN_FLIGHT_BYTES_MAX),
  limits: BodyLimits = BODY_LIMITS,
): BodyRead {
  return (request, owner, response) => {
    const encoding = readEncoding(request.headers['content-encoding']);
    const declared = request.headers['content-length'];
    const declaredBytes = declared === undefined ? undefined : Number(declared);
    if (encoding === 'unsupported') {
      discardBody(request, response);
      return Promise.resolve(refuse('mediaTypeUnsupported'));
    }
    if (declaredBytes !== undefined && declaredBytes > limits.bytesMax) {
      discardBody(request, response);
      return Promise.resolve(refuse('bodyTooLarge'));
    }
    return new Promise((resolve) => {
      const source = { owner, response, encoding, declaredBytes };
      new BodyReader(request, { ...source, budget, limits, resolve }).start();
    });
  };
}

/**
 * Reads and discards the rest of a body for a bounded time, before or after the answer is written. Closing
 * with unread bytes in the socket makes the kernel send a reset, and the client would never see the answer.
 * So Node must not close after writing, whatever the client asked for, and the answer must not say
 * `connection: close`. If the body ends in time, the connection stays open.
 */
export function discardBody(request: IncomingMessage, response: Closing | undefined): void {
  if (request.complete && request.readableEnded) return;
  if (response !== undefined) response.shouldKeepAlive = true;
  let bytes = 0;
  const giveUp = setTimeout(() => request.destroy(), BODY_DISCARD_MS);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_DISCARD_BYTES_MAX) request.destroy();
  });
  request.on('error', ignore);
  request.once('close', () => clearTimeout(giveUp));
  request.once('end', () => clearTimeout(giveUp));
  request.resume();
}

function ignore(): void {}

interface BodyReading {
  readonly owner: BudgetOwner;
  readonly response: Closing | undefined;
  readonly budget: ByteBudget;
  readonly limits: BodyLimits;
  readonly resolve: (result: BodyResult) => void;
  readonly encoding: Encoding | 'identity';
  readonly declaredBytes: number | undefined;
}

/** One body being read. In the usual case, one small chunk, it costs this object, a timer and no copy. */
class BodyReader implements DecoderSink {
  readonly #request: IncomingMessage;
  readonly #reading: BodyReading;
  readonly #collector: Collector;
  #decoder: Decoder | undefined;
  #timer: NodeJS.Timeout | undefined;
  #receivedBytes = 0;
  #receivedAtTick: number | undefined;
  /** By the bytes in memory, which for an encoded body are far more than the bytes received. */
  #isLarge = false;
  #done = false;

  constructor(request: IncomingMessage, reading: BodyReading) {
    this.#request = request;
    this.#reading = reading;
    this.#collector = new Collector(reading.encoding === 'identity' ? reading.declaredBytes : undefined);
  }

  start(): void {
    const { encoding, limits } = this.#reading;
    // The client left while its key was checked; the event has already passed.
    if (this.#request.destroyed) {
      this.#give();
      this.#reading.resolve({ kind: 'aborted', reason: 'gone' });
      return;
    }
    if (encoding !== 'identity') this.#decoder = new Decoder(encoding, limits.ratioMax, this);
    this.#timer = setTimeout(checkRate, limits.slowAfterMs, this);
    const request = this.#request;
    // Only now: a client whose request is refused earlier keeps its body.
    if (asksToContinue(request)) this.#reading.response?.writeContinue();
    request.on('data', (chunk: Buffer) => this.#receive(chunk));
    request.on('end', () => this.#received());
    const gone = (): void => this.#abort('gone');
    request.on('error', gone);
    request.on('close', gone);
  }

  /** The first tick ends the grace period. From then on every interval must bring its share. */
  checkRate(): void {
    const { limits } = this.#reading;
    const before = this.#receivedAtTick;
    const leastBytes = this.#isLarge ? limits.largeRateBytesMin : limits.rateBytesMin;
    // While the decoder is full, the gateway is the slow side.
    const isWaiting = before !== undefined && !this.#request.isPaused();
    if (isWaiting && this.#receivedBytes - before < leastBytes) {
      this.#abort('slow');
      this.#request.destroy();
      return;
    }
    this.#watchRate(this.#isLarge ? limits.largeIntervalMs : limits.rateIntervalMs);
  }

  #watchRate(intervalMs: number): void {
    clearTimeout(this.#timer);
    this.#receivedAtTick = this.#receivedBytes;
    this.#timer = setTimeout(checkRate, intervalMs, this);
  }

  onDecoded(chunk: Buffer): void {
    if (this.#done) return;
    const { owner, budget, limits } = this.#reading;
    if (this.#collector.bytes + chunk.length > limits.bytesMax) this.#refuse(refuse('bodyTooLarge'));
    else if (budget.take(owner, chunk.length)) this.#add(chunk);
    else this.#refuse(refuse('unavailable', { retryAfterMs: BUDGET_WAIT_MS }));
  }

  #add(chunk: Buffer): void {
    const { largeBytes, largeIntervalMs } = this.#reading.limits;
    this.#collector.add(chunk);
    if (this.#isLarge || this.#collector.bytes < largeBytes || this.#request.readableEnded) return;
    this.#isLarge = true;
    this.#watchRate(largeIntervalMs);
  }

  onDecodedEnd(): void {
    if (this.#done) return;
    this.#finish();
    const whole = this.#collector.take();
    if (whole instanceof Promise) void whole.then((bytes) => this.#hold(bytes));
    else this.#hold(whole);
  }

  #hold(bytes: Buffer): void {
    this.#reading.resolve(new HeldBody(bytes, this.#reading));
  }

  onDecodeFailure(reason: 'corrupt' | 'bomb'): void {
    if (reason === 'bomb') this.#refuse(refuse('bodyTooLarge', { message: SWOLLEN }));
    else this.#refuse(refuse('bodyNotJson', { message: NOT_DECODABLE }));
  }

  onDecoderDrain(): void {
    this.#request.resume();
  }

  #receive(chunk: Buffer): void {
    if (this.#done) return;
    this.#receivedBytes += chunk.length;
    if (this.#decoder === undefined) this.onDecoded(chunk);
    else if (this.#receivedBytes > this.#reading.limits.bytesMax) this.#refuse(refuse('bodyTooLarge'));
    else if (!this.#decoder.write(chunk)) this.#request.pause();
  }

  #received(): void {
    clearTimeout(this.#timer);
    if (this.#decoder === undefined) this.onDecodedEnd();
    else this.#decoder.end();
  }

  /** `close` also follows every normal end. While a decoder still works, the body is not lost. */
  #abort(reason: BodyAborted['reason']): void {
    if (this.#done || (reason === 'gone' && this.#request.readableEnded)) return;
    this.#give();
    this.#reading.resolve({ kind: 'aborted', reason });
  }

  #refuse(refusal: Refusal): void {
    if (this.#done) return;
    this.#give();
    discardBody(this.#request, this.#reading.response);
    this.#reading.resolve(refusal);
  }

  #give(): void {
    this.#finish();
    this.#reading.budget.give(this.#reading.owner, this.#collector.bytes);
    this.#collector.clear();
  }

  #finish(): void {
    this.#done = true;
    this.#decoder?.destroy();
    clearTimeout(this.#timer);
  }
}

function asksToContinue({ headers: { expect } }: IncomingMessage): boolean {
  return expect !== undefined && expect.toLowerCase() === '100-continue';
}

function checkRate(reader: BodyReader): void {
  reader.checkRate();
}

class HeldBody implements RequestBody {
  readonly kind = 'body';
  readonly bytes: Buffer;
  readonly #budget: ByteBudget;
  readonly #owner: BudgetOwner;
  #released = false;

  constructor(bytes: Buffer, { budget, owner }: Pick<BodyReading, 'budget' | 'owner'>) {
    this.bytes = bytes;
    this.#budget = budget;
    this.#owner = owner;
  }

  release(): void {
    assert(!this.#released, 'a body is released once');
    this.#released = true;
    this.#budget.give(this.#owner, this.bytes.length);
  }
}
