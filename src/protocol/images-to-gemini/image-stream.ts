import { JSON_DEPTH_MAX, STREAM_EVENT_BYTES_MAX } from '../../bounds.ts';
import { type JsonBounds, parseJson } from '../../kernel/encoding/json.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { StreamRelay, StreamUsage, VendorRelay } from '../dialect.ts';
import { isObject, type JsonObject, writeJson } from '../hub/content/json.ts';
import type { Figures } from '../meter/usage-report.ts';
import { ImageAnswer } from './from-gemini.ts';

const EVENT_BOUNDS: JsonBounds = { bytesMax: STREAM_EVENT_BYTES_MAX, depthMax: JSON_DEPTH_MAX };

/** What a stream of images must know about its call. */
export interface ImageSession {
  /** `image_generation` or `image_edit`. */
  readonly purpose: 'image_generation' | 'image_edit';
  readonly createdAtS: number;
  /** The relay of the vendor's dialect: it meters, and knows errors and the terminator. */
  readonly vendor: VendorRelay;
}

/**
 * Google's stream for an Images client. Images arrive whole, so nothing is sent before the vendor has
 * finished. Until then the call can still end with an ordinary error, and a blocked image does.
 */
export class ImageStream implements StreamRelay {
  first: StreamRelay['first'] = 'none';
  firstError: string | undefined;
  readonly #session: ImageSession;
  readonly #answer = new ImageAnswer();

  constructor(session: ImageSession) {
    this.#session = session;
    session.vendor.divert((payload, start, end, figures) => {
      if (this.first === 'none') this.#take(payload.toString('utf8', start, end), figures);
    });
  }

  push(chunk: LentBytes): LentBytes | undefined {
    const { vendor } = this.#session;
    vendor.push(chunk);
    if (this.first !== 'none') return undefined;
    if (vendor.overflowed || this.#answer.overflowed || vendor.first === 'foreign') this.first = 'foreign';
    else if (vendor.failed) this.#fail(vendor.firstError);
    else if (vendor.terminated) return this.#tell();
    return undefined;
  }

  finish(): { readonly rest: Buffer | undefined; readonly complete: boolean } {
    return { rest: undefined, complete: this.concluded };
  }

  get failed(): boolean {
    return this.first === 'error';
  }

  get terminated(): boolean {
    return this.first === 'data';
  }

  /** All images are sent at once: however the vendor ends, the client has them. */
  get concluded(): boolean {
    return this.first === 'data';
  }

  get ended(): boolean {
    return this.#session.vendor.ended;
  }

  get generatedEvents(): number {
    return this.#session.vendor.generatedEvents;
  }

  get reasoned(): boolean {
    return this.#session.vendor.reasoned;
  }

  get reported(): boolean {
    return this.#session.vendor.reported;
  }

  get heldBytes(): number {
    return this.#session.vendor.heldBytes;
  }

  readonly broken = false;

  get overflowed(): boolean {
    return this.first === 'foreign';
  }

  readonly atBoundary = true;
  readonly nextSequenceNumber = undefined;

  usage(): StreamUsage {
    return this.#withImages(this.#session.vendor.usage());
  }

  #withImages(seen: StreamUsage): StreamUsage {
    return { ...seen, usage: { ...seen.usage, images: this.#answer.count } };
  }

  /** One event of the vendor. Content behind an error is nobody's. */
  #take(text: string, figures: Figures | undefined): void {
    const event = parseJson(text, EVENT_BOUNDS);
    const value = event.kind === 'parsed' ? (event.value as JsonObject) : undefined;
    if (!isObject(value)) return;
    if (isObject(value.error)) this.firstError = text;
    else if (!this.#session.vendor.failed) this.#answer.take(value, figures);
  }

  #fail(text: string | undefined): void {
    this.first = 'error';
    this.firstError ??= text;
  }

  #tell(): Buffer | undefined {
    const { purpose, createdAtS } = this.#session;
    if (this.#answer.count === 0) {
      this.#fail(writeJson(this.#answer.error()));
      return undefined;
    }
    this.first = 'data';
    const type = `${purpose}.completed`;
    const events = this.#answer.events(type, createdAtS);
    return Buffer.from(events.map((event) => `event: ${type}\ndata: ${writeJson(event)}\n\n`).join(''));
  }
}
