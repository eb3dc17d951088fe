import { JSON_DEPTH_MAX, STREAM_EVENT_BYTES_MAX } from '../bounds.ts';
import { type JsonBounds, parseJson } from '../kernel/json.ts';
import type { Framing, StreamRelay, StreamUsage } from './dialect.ts';
import type { JsonObject } from './hub/json.ts';
import type { ReturnPlan } from './hub/return-call.ts';
import { ReturnStage } from './hub/return-stream.ts';
import type { Spoke, StreamDecoder, StreamEncoder } from './hub/spoke.ts';
import { isOpenBrace, skipSpace } from './skim.ts';
import { SseSplitter } from './sse.ts';

const EVENT_BOUNDS: JsonBounds = { bytesMax: STREAM_EVENT_BYTES_MAX, depthMax: JSON_DEPTH_MAX };

/** The two ends of a converted stream. */
export interface StreamPlan {
  /** The client's side. */
  readonly from: Spoke;
  /** The vendor's side. */
  readonly to: Spoke;
  readonly plan: ReturnPlan;
  /** The client's framing. */
  readonly framing: Framing;
  /** The vendor's own relay: it meters, and knows the first event, errors and the terminator. */
  readonly vendor: StreamRelay;
}

/**
 * A streamed answer of one protocol in the words of another. The vendor's bytes pass its own relay first; the
 * whole events that come out of it are decoded, staged and encoded in the same push.
 */
export class ConvertedStream implements StreamRelay {
  readonly #vendor: StreamRelay;
  readonly #splitter = new SseSplitter();
  readonly #decoder: StreamDecoder;
  readonly #stage: ReturnStage;
  readonly #encoder: StreamEncoder;
  #ended = false;

  constructor({ from, to, plan, framing, vendor }: StreamPlan) {
    this.#vendor = vendor;
    const encoder = from.createEncoder(plan.session, framing);
    const stage = new ReturnStage(plan, (event) => encoder.push(event));
    this.#encoder = encoder;
    this.#stage = stage;
    this.#decoder = to.createDecoder(plan.session, (event) => stage.push(event));
  }

  push(chunk: Buffer): Buffer | undefined {
    const bytes = this.#vendor.push(chunk);
    if (bytes !== undefined) this.#decode(bytes);
    if (this.#vendor.concluded) this.#end();
    return this.#take();
  }

  finish(): { readonly rest: Buffer | undefined; readonly complete: boolean } {
    const { rest, complete } = this.#vendor.finish();
    if (rest !== undefined) this.#decode(rest);
    if (complete) this.#end();
    return { rest: this.#take(), complete: complete && this.#ended && !this.failed };
  }

  get first(): StreamRelay['first'] {
    return this.#vendor.first;
  }

  get firstError(): string | undefined {
    return this.#vendor.firstError;
  }

  get failed(): boolean {
    return this.#vendor.failed || this.#stage.failed;
  }

  get terminated(): boolean {
    return this.#vendor.terminated;
  }

  get concluded(): boolean {
    return this.#vendor.concluded;
  }

  get overflowed(): boolean {
    return this.#vendor.overflowed;
  }

  /** Only whole events leave an encoder. */
  readonly atBoundary = true;

  get nextSequenceNumber(): number | undefined {
    return this.#encoder.nextSequenceNumber;
  }

  usage(): StreamUsage {
    return this.#vendor.usage();
  }

  roughUsage(): StreamUsage {
    return this.#vendor.roughUsage();
  }

  #decode(bytes: Buffer): void {
    const splitter = this.#splitter;
    splitter.feed(bytes);
    while (splitter.next()) {
      const { payload, payloadStart, payloadEnd } = splitter;
      // Comments have no data, and `[DONE]` is no object: the vendor's relay has seen it.
      if (payloadStart < 0 || !isOpenBrace(payload, skipSpace(payload, payloadStart, payloadEnd))) continue;
      const event = parseJson(payload.toString('utf8', payloadStart, payloadEnd), EVENT_BOUNDS);
      if (event.kind === 'parsed') this.#decoder.push(event.value as JsonObject);
    }
    splitter.keep();
  }

  /** The terminator is passed on once, and never behind an error (conversion.md 1.11). */
  #end(): void {
    if (this.#ended || this.failed) return;
    this.#ended = true;
    this.#decoder.finish();
    this.#stage.end();
  }

  #take(): Buffer | undefined {
    const text = this.#encoder.take();
    return text === '' ? undefined : Buffer.from(text);
  }
}
