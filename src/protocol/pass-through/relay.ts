import { ERROR_BODY_BYTES_MAX } from '../../bounds.ts';
import { joinLent, type LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { ArraySplitter } from '../bytes/json-array.ts';
import { sameBytes } from '../bytes/paths.ts';
import { withOutline } from '../bytes/skim.ts';
import { quoteModel } from '../bytes/splice.ts';
import { NOTHING, type Splitter } from '../bytes/splitter.ts';
import { SseSplitter } from '../bytes/sse.ts';
import type { BodyEnd, Framing, StreamRelay, StreamUsage, TakeEvent, VendorRelay } from '../dialect.ts';
import { Meter, type UsageRule } from '../meter/meter.ts';
import type { Figures } from '../meter/usage-report.ts';

/** Chunks below this size have so few events that joining them costs less than handling them separately. */
const CHUNK_BYTES_LONG = 4096;

/** Reads the data of one event and reports to `EventControl` what follows from it. One reader per stream. */
export interface EventReader {
  readonly rule: UsageRule;
  /** The number of the next event, if the protocol numbers its events. */
  readonly nextSequenceNumber: number | undefined;
  /** Everything that began has ended: only usage and the terminator are expected. */
  readonly ended: boolean;
  /** The answer has reasoning, with or without its text. */
  readonly reasoned: boolean;
  /** The terminator that the vendor left out, if the answer is complete without it. */
  readonly omittedTerminator?: Buffer | undefined;
  readonly read: (payload: LentBytes, start: number, end: number, outlet: EventControl) => void;
}

/** What a reader can do about the current event. Positions are those of the payload. */
export interface EventControl {
  /** A model name is at this range. It is replaced with the platform's. */
  replaceModel(start: number, end: number): void;
  remove(start: number, end: number): void;
  /** The client does not get this event. */
  drop(): void;
  fail(): void;
  terminate(): void;
  /** The terminator after which no client reads: later output is not counted. */
  conclude(): void;
  /** Another answer begins here. This event and all that follow are neither sent on nor counted. */
  breakOff(): void;
  /** Generated content is at this range. It is counted if no report ever covers it. */
  generated(start: number, end: number): void;
  /** The characters of one generated string are at this range: they need no search later. */
  generatedText(start: number, end: number): void;
  /** The vendor's figures so far, which may not include all generated output. */
  report(figures: Figures): void;
  /** The figures of a start event, whose output figures are placeholders and not charged. */
  reportStart(figures: Figures): void;
  /** The vendor's figures for all output up to and including this event. */
  reportCovering(figures: Figures): void;
  /** An image is finished. */
  imageDone(): void;
}

/** One streamed answer: events are found, read, and forwarded in the push that completed them. */
export class Relay implements VendorRelay, EventControl {
  first: StreamRelay['first'] = 'none';
  firstError: string | undefined;
  failed = false;
  terminated = false;
  concluded = false;
  broken = false;
  generatedEvents = 0;
  readonly #splitter: Splitter;
  readonly #reader: EventReader;
  readonly #meter: Meter;
  readonly #model: Buffer;
  /** The edits of the current push: where, and whether the model name is put there (1) or nothing (0). */
  readonly #editStarts: number[] = [];
  readonly #editEnds: number[] = [];
  readonly #editModels: number[] = [];
  #editCount = 0;
  #outputLength = 0;
  #take: TakeEvent | undefined;
  /** The usage that the current event reports. */
  #figures: Figures | undefined;
  /** The current event is an error. */
  #isError = false;
  #isOver = false;

  constructor(framing: Framing, reader: EventReader, modelId: string) {
    this.#splitter = framing === 'sse' ? new SseSplitter() : new ArraySplitter();
    this.#reader = reader;
    this.#meter = new Meter(reader.rule);
    this.#model = quoteModel(modelId);
  }

  divert(take: TakeEvent): void {
    this.#take = take;
  }

  push(chunk: LentBytes): LentBytes | undefined {
    // Joining a long chunk to the kept beginning of its first event would copy all of it for that one event.
    const heldEnd = chunk.length >= CHUNK_BYTES_LONG ? this.#splitter.heldEnd(chunk) : 0;
    if (heldEnd === 0) {
      this.#splitter.feed(chunk);
      return this.#forward(NOTHING);
    }
    this.#splitter.feed(chunk.subarray(0, heldEnd));
    const lead = this.#forward(NOTHING);
    if (this.#splitter.overflowed) return lead;
    this.#splitter.feed(chunk.subarray(heldEnd));
    return this.#forward(lead ?? NOTHING);
  }

  finish(end: BodyEnd = 'counted'): { readonly rest: Buffer | undefined; readonly complete: boolean } {
    const isCut = !this.#splitter.atBoundary;
    const isWhole = this.#splitter.finish();
    const tail = isWhole ? this.#forward(NOTHING) : undefined;
    const terminator = end === 'counted' && (isWhole || !isCut) ? this.#terminator() : undefined;
    const rest = tail === undefined ? terminator : joinLent(tail, terminator ?? NOTHING);
    return { rest, complete: this.terminated && !this.failed && !this.broken && this.#splitter.closed };
  }

  get ended(): boolean {
    return this.terminated || this.#reader.ended;
  }

  get reasoned(): boolean {
    return this.#reader.reasoned;
  }

  get reported(): boolean {
    return this.#meter.reported;
  }

  /** The terminator that a complete answer lacks, unless the events are diverted. */
  #terminator(): Buffer | undefined {
    const terminator = this.#reader.omittedTerminator;
    if (terminator === undefined || this.terminated || this.failed) return undefined;
    this.conclude();
    return this.#take === undefined ? terminator : undefined;
  }

  get heldBytes(): number {
    return this.#splitter.heldBytes;
  }

  get overflowed(): boolean {
    return this.#splitter.overflowed;
  }

  get atBoundary(): boolean {
    return this.#splitter.atBoundary;
  }

  get nextSequenceNumber(): number | undefined {
    return this.#reader.nextSequenceNumber;
  }

  usage(): StreamUsage {
    return this.#meter.usage();
  }

  replaceModel(start: number, end: number): void {
    if (this.#take !== undefined) return;
    const model = this.#model;
    if (end - start === model.length && sameBytes(model, this.#splitter.payload, start)) return;
    const { shift } = this.#splitter;
    this.#edit(start + shift, end + shift, 1);
  }

  remove(start: number, end: number): void {
    const { shift } = this.#splitter;
    this.#edit(start + shift, end + shift, 0);
  }

  drop(): void {
    this.#edit(this.#splitter.eventStart, this.#splitter.eventEnd, 0);
  }

  fail(): void {
    this.failed = true;
    this.#isError = true;
  }

  terminate(): void {
    this.terminated = true;
  }

  conclude(): void {
    this.terminated = true;
    this.concluded = true;
  }

  generated(start: number, end: number): void {
    if (this.concluded) return;
    this.generatedEvents++;
    this.#meter.note(this.#splitter.payload, start, end);
  }

  generatedText(start: number, end: number): void {
    if (this.concluded) return;
    this.generatedEvents++;
    this.#meter.noteText(this.#splitter.payload, start, end);
  }

  report(figures: Figures): void {
    this.#figures = figures;
    this.#meter.report(figures);
  }

  reportStart(figures: Figures): void {
    this.#figures = figures;
    this.#meter.report({ ...figures, output: undefined, reasoning: undefined });
  }

  reportCovering(figures: Figures): void {
    this.report(figures);
    this.#meter.cover();
  }

  imageDone(): void {
    if (this.concluded) return;
    this.#meter.image();
  }

  breakOff(): void {
    this.#isOver = true;
    // An answer that is complete stays complete, whatever the vendor sends behind it.
    if (!this.concluded) this.broken = true;
    this.drop();
  }

  /** Forwards `lead`, which is ready, and the events of the fed bytes. */
  #forward(lead: LentBytes): LentBytes | undefined {
    const splitter = this.#splitter;
    this.#editCount = 0;
    this.#outputLength = 0;
    while (splitter.next()) {
      if (this.#isOver) this.drop();
      else if (this.failed) this.#readBehindError();
      else if (splitter.payloadStart >= 0) this.#read();
    }
    const { bytes } = splitter;
    const end = splitter.keep();
    if (this.#take !== undefined) return undefined;
    if (end === 0) return lead.length === 0 ? undefined : lead;
    const whole = end === bytes.length ? bytes : bytes.subarray(0, end);
    return this.#editCount === 0 && lead.length === 0 ? whole : this.#edited(lead, whole);
  }

  #read(): void {
    const { payload, payloadStart, payloadEnd, outline } = this.#splitter;
    this.#figures = undefined;
    if (outline === undefined) this.#reader.read(payload, payloadStart, payloadEnd, this);
    else withOutline(payload, outline.ends, () => this.#reader.read(payload, payloadStart, payloadEnd, this));
    if (this.#isOver) return;
    if (this.first === 'none') this.#classify();
    this.#take?.(payload, payloadStart, payloadEnd, this.#figures);
  }

  /**
   * What a vendor sends after an error is counted, but the client gets only more of the error
   * (`response.failed` after `error`): no content and no terminator.
   */
  #readBehindError(): void {
    const editCount = this.#editCount;
    const outputLength = this.#outputLength;
    this.#isError = false;
    if (this.#splitter.payloadStart >= 0) this.#read();
    if (this.#isError) return;
    this.#editCount = editCount;
    this.#outputLength = outputLength;
    this.drop();
  }

  #classify(): void {
    if (!this.failed) {
      this.first = this.#splitter.foreign ? 'foreign' : 'data';
      return;
    }
    this.first = 'error';
    const { payload, payloadStart, payloadEnd } = this.#splitter;
    const end = Math.min(payloadEnd, payloadStart + ERROR_BODY_BYTES_MAX);
    this.firstError = payload.toString('utf8', payloadStart, end);
  }

  #edit(start: number, end: number, withModel: 0 | 1): void {
    // A reader handles its event in the order of its known keys, not of the bytes.
    let index = this.#editCount++;
    while (index > 0 && (this.#editStarts[index - 1] as number) > start) {
      this.#editStarts[index] = this.#editStarts[index - 1] as number;
      this.#editEnds[index] = this.#editEnds[index - 1] as number;
      this.#editModels[index] = this.#editModels[index - 1] as number;
      index--;
    }
    this.#editStarts[index] = start;
    this.#editEnds[index] = end;
    this.#editModels[index] = withModel;
    this.#outputLength += start - end + (withModel === 1 ? this.#model.length : 0);
  }

  #edited(lead: LentBytes, source: LentBytes): Buffer | undefined {
    const length = lead.length + source.length + this.#outputLength;
    if (length === 0) return undefined;
    const output = Buffer.allocUnsafe(length);
    const model = this.#model;
    let from = 0;
    let at = lead.length === 0 ? 0 : lead.copy(output);
    for (let index = 0; index < this.#editCount; index++) {
      const start = this.#editStarts[index] as number;
      at += source.copy(output, at, from, start);
      if (this.#editModels[index] === 1) {
        // A name is so short that a loop is faster than a call into the runtime.
        for (let byte = 0; byte < model.length; byte++) output[at++] = model[byte] as number;
      }
      from = this.#editEnds[index] as number;
    }
    source.copy(output, at, from);
    return output;
  }
}
