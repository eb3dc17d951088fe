import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Of an error. An answer is stored by other means (conversation-save.ts). */
const REMEMBERED_BYTES_MAX = 64 * 1024;
const HEAD_END = '\r\n\r\n';

/** The place of a client that has gone: it takes every byte at once. */
class Nobody extends Duplex {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#bytes < REMEMBERED_BYTES_MAX) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    done();
  }

  /** What the gateway does to a client whose stream broke. */
  resetAndDestroy(): this {
    return this.destroy();
  }

  setTimeout(): this {
    return this;
  }

  get remembered(): string {
    return Buffer.concat(this.#chunks).toString('utf8', 0, REMEMBERED_BYTES_MAX);
  }
}

/** A response without a client: the call behind it goes on until it ends or is cancelled. */
export class DetachedResponse {
  readonly response: ServerResponse;
  readonly #socket = new Nobody();

  constructor(request: IncomingMessage) {
    this.response = new ServerResponse(request);
    // A stream of bytes is all that is asked of the socket.
    this.response.assignSocket(this.#socket as unknown as Socket);
    // Those who wait for the close of the response free what it holds.
    this.response.once('finish', () => this.#socket.destroy());
  }

  /** The same as a client that leaves. */
  cancel(): void {
    this.#socket.destroy();
  }

  get status(): number {
    return this.response.statusCode;
  }

  /** The body of a short answer. */
  get body(): string {
    const { remembered } = this.#socket;
    return remembered.slice(remembered.indexOf(HEAD_END) + HEAD_END.length);
  }
}
