import { CONVERTED_STREAM_BYTES_MAX, JSON_DEPTH_MAX } from '../../bounds.ts';
import { type JsonBounds, parseJson } from '../../kernel/encoding/json.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { CONVERTED_EVENT_BYTES_MAX, CONVERTED_EVENT_VALUES_MAX, WHOLE_ESCAPED_CHARS_MAX } from '../bounds.ts';
import { SHAPED_BYTES_MAX } from '../bytes/event-shape.ts';
import { type EventTemplate, learnTemplate } from '../bytes/event-template.ts';
import { isOpenBrace, skipSpace } from '../bytes/skim.ts';
import { NOTHING } from '../bytes/splitter.ts';
import type { BodyEnd, Framing, StreamRelay, StreamUsage, VendorRelay } from '../dialect.ts';
import type { Codec, StreamDecoder, StreamEncoder } from '../hub/codec.ts';
import { type JsonObject, readJson, type ValueBudget } from '../hub/content/json.ts';
import type { HubEvent } from '../hub/event.ts';
import type { ReturnPlan } from '../hub/return/return-call.ts';
import { ReturnStage } from '../hub/return/return-stream.ts';
import type { Figures } from '../meter/usage-report.ts';

const EVENT_BOUNDS: JsonBounds = { bytesMax: CONVERTED_EVENT_BYTES_MAX, depthMax: JSON_DEPTH_MAX };
const NO_KEYS: ReadonlySet<string> = new Set();
/** An event below this size cannot have too many values. */
const SHORT_BYTES = 64 * 1024;
/** How often templates are learned from a vendor's events before learning stops. */
const LEARNED_MAX = 16;

/** An event is read, converted and written in one turn. `undefined`: not an object. */
function readEvent(payload: LentBytes, start: number, end: number): JsonObject | 'too-much' | undefined {
  if (end - start > CONVERTED_EVENT_BYTES_MAX) return 'too-much';
  const text = payload.toString('utf8', start, end);
  if (end - start <= SHORT_BYTES) {
    const event = parseJson(text, EVENT_BOUNDS);
    return event.kind === 'parsed' ? (event.value as JsonObject) : undefined;
  }
  // readJson keeps an image as a part of the text and does not copy it.
  const budget: ValueBudget = { left: CONVERTED_EVENT_VALUES_MAX, escapedLeft: WHOLE_ESCAPED_CHARS_MAX };
  return readJson(text, NO_KEYS, budget) ?? (budget.left < 0 ? 'too-much' : undefined);
}

/** The two sides of a converted stream. */
export interface StreamPlan {
  readonly clientCodec: Codec;
  readonly vendorCodec: Codec;
  readonly plan: ReturnPlan;
  /** The client's framing. */
  readonly framing: Framing;
  /**
   * The relay of the vendor's dialect: it finds events, meters, and knows the first event, errors and the
   * terminator.
   */
  readonly vendor: VendorRelay;
}

/**
 * Converts a streamed answer from one protocol to another. The vendor's bytes go to the relay of its dialect.
 * The whole events that it finds are decoded, processed and encoded in the same push.
 */
export class ConvertedStream implements StreamRelay {
  readonly #vendor: VendorRelay;
  readonly #decoder: StreamDecoder;
  readonly #stage: ReturnStage;
  readonly #encoder: StreamEncoder;
  #ended = false;
  #madeBytes = 0;
  /** The client hears something of the answer, not only that it begins. */
  #isSaid = false;
  /** The answer failed before it said anything. */
  #firstError: string | undefined;
  readonly #mayFailEmpty: boolean;
  /** An event was too large or had too many values. */
  #isTooMuch = false;
  /** The number of hub events that the last event produced, and how many of them were deltas. */
  #emitted = 0;
  #deltas = 0;
  #template: EventTemplate | undefined;
  #lastParsed = NOTHING;
  #learnedCount = 0;

  constructor({ clientCodec, vendorCodec, plan, framing, vendor }: StreamPlan) {
    this.#vendor = vendor;
    this.#mayFailEmpty = vendorCodec.protocol === 'gemini';
    vendor.divert((payload, start, end, figures) => this.#decode(payload, start, end, figures));
    const encoder = clientCodec.createEncoder(plan.session, framing);
    const stage = new ReturnStage(plan, (event) => encoder.push(event));
    this.#encoder = encoder;
    this.#stage = stage;
    this.#decoder = vendorCodec.createDecoder(plan.session, (event) => this.#emit(event));
  }

  push(chunk: LentBytes): LentBytes | undefined {
    this.#vendor.push(chunk);
    if (this.#vendor.concluded) this.#end();
    return this.#take();
  }

  finish(end?: BodyEnd): { readonly rest: Buffer | undefined; readonly complete: boolean } {
    const { complete } = this.#vendor.finish(end);
    if (complete) this.#end();
    return { rest: this.#take(), complete: complete && this.#ended && !this.failed };
  }

  /**
   * Google reports a failure in the form of an answer. Until the answer has content or has ended, another
   * route can still be tried (rule C-10).
   */
  get first(): StreamRelay['first'] {
    const { first, terminated } = this.#vendor;
    if (first !== 'data' || !this.#mayFailEmpty || this.#isSaid) return first;
    if (this.#firstError !== undefined) return 'error';
    return terminated ? 'data' : 'none';
  }

  get firstError(): string | undefined {
    return this.#vendor.firstError ?? this.#firstError;
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

  get ended(): boolean {
    return this.#vendor.ended;
  }

  get generatedEvents(): number {
    return this.#vendor.generatedEvents;
  }

  get reasoned(): boolean {
    return this.#vendor.reasoned;
  }

  get reported(): boolean {
    return this.#vendor.reported;
  }

  get heldBytes(): number {
    return this.#vendor.heldBytes;
  }

  get broken(): boolean {
    return this.#vendor.broken;
  }

  get overflowed(): boolean {
    return this.#vendor.overflowed || this.#isTooMuch || this.#madeBytes > CONVERTED_STREAM_BYTES_MAX;
  }

  /** An encoder returns only whole events. */
  readonly atBoundary = true;

  get nextSequenceNumber(): number | undefined {
    return this.#encoder.nextSequenceNumber;
  }

  usage(): StreamUsage {
    return this.#vendor.usage();
  }

  #decode(payload: LentBytes, start: number, end: number, figures: Figures | undefined): void {
    const known = this.#template?.read(payload, start, end);
    if (known !== undefined) {
      // An event that is not exactly one delta may have been kept, so the template must not reuse its object.
      if (!this.#isOneDelta(known, figures)) this.#template = undefined;
      return;
    }
    // `[DONE]` is not an object: the vendor's relay has already seen it.
    if (!isOpenBrace(payload, skipSpace(payload, start, end))) return;
    const event = readEvent(payload, start, end);
    if (event === 'too-much') this.#isTooMuch = true;
    else if (event !== undefined && this.#isOneDelta(event, figures)) this.#learn(payload, start, end);
  }

  #isOneDelta(event: JsonObject, figures: Figures | undefined): boolean {
    this.#emitted = 0;
    this.#deltas = 0;
    this.#decoder.push(event, figures);
    return this.#emitted === 1 && this.#deltas === 1;
  }

  #learn(payload: LentBytes, start: number, end: number): void {
    if (this.#learnedCount >= LEARNED_MAX || end - start > SHAPED_BYTES_MAX) return;
    this.#learnedCount++;
    const parsed = Buffer.from(payload.subarray(start, end));
    this.#template = learnTemplate(parsed, this.#lastParsed) ?? this.#template;
    this.#lastParsed = parsed;
  }

  #emit(event: HubEvent): void {
    this.#emitted++;
    if (event.kind === 'delta') this.#deltas++;
    if (!this.#isSaid) this.#note(event);
    this.#stage.push(event);
  }

  #note(event: HubEvent): void {
    const { kind } = event;
    if (kind === 'error') {
      const { status, type, message } = event.error;
      this.#firstError = JSON.stringify({ error: { code: status, type, message } });
    } else if (kind === 'part') this.#isSaid = event.head.kind !== 'text' && event.head.kind !== 'reasoning';
    else this.#isSaid = kind === 'delta' || kind === 'finish' || kind === 'end';
  }

  /** The terminator is forwarded once, and never after an error (rule C-9). */
  #end(): void {
    if (this.#ended || this.failed) return;
    this.#ended = true;
    this.#decoder.finish();
    this.#stage.end();
  }

  #take(): Buffer | undefined {
    const bytes = this.#encoder.takeBytes?.() ?? Buffer.from(this.#encoder.take());
    this.#madeBytes += bytes.length;
    return bytes.length === 0 ? undefined : bytes;
  }
}
