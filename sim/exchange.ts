import type { ServerResponse } from 'node:http';
import type { Clock } from '../src/kernel/time/clock.ts';
import { PAUSE_MS_MAX, RESET_AFTER_MS } from './bounds.ts';
import type { Reply } from './request/ask.ts';
import type { Stats } from './stats.ts';
import type { Finished, TruthCall } from './truth.ts';

/** One request being answered: its socket, its truth, and waits that end when the client goes away. */
export class Exchange {
  readonly response: ServerResponse;
  readonly call: TruthCall;
  /** Errors in the form of the cloud that passes them on. */
  refuse: ((reply: Reply) => Reply) | undefined;
  readonly #stats: Stats;
  readonly #clock: Clock;
  readonly #gone: Promise<void>;
  #closed = false;

  constructor(response: ServerResponse, call: TruthCall, stats: Stats, clock: Clock) {
    this.response = response;
    this.call = call;
    this.#stats = stats;
    this.#clock = clock;
    this.#gone = new Promise((resolve) => {
      response.once('close', () => {
        this.#closed = true;
        if (!response.writableFinished && call.finished === 'running') {
          this.#stats.aborted++;
          this.finish('aborted-by-client');
        }
        resolve();
      });
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The first ending counts. */
  finish(finished: Finished): void {
    if (this.call.finished !== 'running') return;
    this.call.finished = finished;
    this.call.endedAtMs = this.#clock.now();
  }

  async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#closed) return;
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(ms, PAUSE_MS_MAX));
    });
    await Promise.race([waited, this.#gone]);
    clearTimeout(timer);
  }

  /** Until the client gives up. */
  async silence(): Promise<void> {
    await this.pause(PAUSE_MS_MAX);
  }

  /** Writes and, when the socket is full, waits for it: the client's back-pressure reaches the generator. */
  write(chunk: string | Buffer): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#stats.bytesWritten += chunk.length;
    return this.response.write(chunk) ? undefined : this.#drained();
  }

  async #drained(): Promise<void> {
    this.#stats.waiting();
    const drained = new Promise<void>((resolve) => {
      this.response.once('drain', resolve);
    });
    await Promise.race([drained, this.#gone]);
    this.#stats.flowing();
  }

  reply(made: Reply): void {
    if (this.#closed) return;
    const reply = made.status >= 400 && this.refuse !== undefined ? this.refuse(made) : made;
    this.call.status = reply.status;
    const bytes = Buffer.from(reply.body);
    this.#stats.bytesWritten += bytes.length;
    this.response.writeHead(reply.status, { ...reply.headers, 'content-length': bytes.length });
    this.response.end(bytes);
  }

  /** FIN in the middle: the peer sees an end where none should be. */
  async cut(): Promise<void> {
    this.finish('cut');
    await this.pause(RESET_AFTER_MS);
    this.response.socket?.destroySoon();
  }

  /** The message ends as messages do, though the answer was not at its end. */
  end(): void {
    this.finish('cut');
    this.response.end();
  }

  async reset(): Promise<void> {
    this.finish('cut');
    await this.pause(RESET_AFTER_MS);
    this.response.socket?.resetAndDestroy();
  }
}
