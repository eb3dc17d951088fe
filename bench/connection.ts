/** One client of the load generator: one socket, one call at a time, every answer verified. */
import { connect, type Socket } from 'node:net';
import { MessageReader } from './wire.ts';

export interface CallOutcome {
  readonly latencyMs: number;
  readonly firstByteMs: number;
  readonly failure: string | undefined;
}

export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  /** The bytes of the next call. */
  readonly nextRequest: () => Buffer;
  /** Events that a complete stream has; 0 for plain answers. */
  readonly expectedEvents: number;
  /** Looks at an answer whose status is good: all of it, or its end where nothing else matters. */
  readonly verify: { readonly part: 'all' | 'end'; check(body: Buffer): string | undefined };
  /** Shared by all connections: streams are counted as they come, not when they end. */
  readonly counter: { events: number; bytes: number };
  readonly onOutcome: (outcome: CallOutcome) => void;
  /** Given: the next call is sent by `call`, not as soon as an answer is complete. */
  readonly onIdle?: (connection: Connection) => void;
}

const NEWLINE = 0x0a;
/** Enough of the end of an answer to see its usage and its last event. */
const TAIL_PIECES = 6;
/** A target that refuses calls at once would otherwise be asked in a tight loop. */
const PAUSE_AFTER_FAILURE_MS = 50;
const FAILURE_TEXT_MAX = 200;

export class Connection {
  readonly #settings: ConnectionSettings;
  #socket: Socket | undefined;
  #sentMs = 0;
  #firstByteMs = 0;
  #head = '';
  #events = 0;
  #lastByte = 0;
  #tail: Buffer[] = [];
  #stopping = false;
  #finished: (() => void) | undefined;
  #busy = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** The first call, sent now; the next ones follow by themselves. */
  start(): void {
    this.call(performance.now());
  }

  /** One call, whose time counts from `dueMs`. The connection is opened if it is not there. */
  call(dueMs: number): void {
    if (this.#socket === undefined || this.#socket.destroyed) this.#connect();
    this.#send(dueMs);
  }

  /** Whether an answer has begun and not ended. */
  get isAnswering(): boolean {
    return this.#busy && this.#firstByteMs > 0;
  }

  #connect(): void {
    const socket = connect(this.#settings.port, this.#settings.host);
    socket.setNoDelay(true);
    const reader = new MessageReader({
      onHead: (head) => {
        this.#head = head;
      },
      onBody: (piece) => this.#take(piece),
      onEnd: () => this.#end(),
    });
    socket.on('data', (data) => reader.push(data));
    socket.on('error', (error) => this.#lose(error.message));
    socket.on('close', () => this.#lose('connection closed before the answer was complete'));
    this.#socket = socket;
  }

  /** Resolves when the call under way is complete; no further one is sent. */
  finish(): Promise<void> {
    this.#stopping = true;
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => {
      this.#finished = resolve;
    });
  }

  destroy(): void {
    this.#stopping = true;
    this.#busy = false;
    this.#socket?.destroy();
  }

  #send(dueMs: number): void {
    this.#busy = true;
    this.#firstByteMs = 0;
    this.#events = 0;
    this.#lastByte = 0;
    this.#tail = [];
    this.#sentMs = dueMs;
    this.#socket?.write(this.#settings.nextRequest());
  }

  #take(piece: Buffer): void {
    if (this.#firstByteMs === 0) this.#firstByteMs = performance.now() - this.#sentMs;
    this.#settings.counter.bytes += piece.length;
    this.#tail.push(piece);
    if (this.#settings.verify.part === 'end' && this.#tail.length > TAIL_PIECES) this.#tail.shift();
    if (this.#settings.expectedEvents === 0) return;
    // An event ends with an empty line, which may be cut in two by the pieces.
    const events = countEventEnds(piece, this.#lastByte);
    this.#lastByte = piece[piece.length - 1] ?? 0;
    this.#events += events;
    this.#settings.counter.events += events;
  }

  #end(): void {
    this.#busy = false;
    const latencyMs = performance.now() - this.#sentMs;
    const failure = this.#failure();
    if (/\r\nconnection: *close/i.test(this.#head)) this.#disconnect();
    this.#settings.onOutcome({ latencyMs, firstByteMs: this.#firstByteMs, failure });
    this.#rest(failure);
  }

  #rest(failure: string | undefined): void {
    if (this.#stopping) this.#finished?.();
    else if (this.#settings.onIdle !== undefined) this.#settings.onIdle(this);
    else if (failure === undefined) this.start();
    else setTimeout(() => this.#again(), PAUSE_AFTER_FAILURE_MS);
  }

  #again(): void {
    if (!this.#stopping) this.start();
  }

  #disconnect(): void {
    this.#socket?.removeAllListeners();
    // A socket without this listener would bring the process down with its late error.
    this.#socket?.on('error', () => undefined);
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #lose(reason: string): void {
    if (!this.#busy) return;
    this.#busy = false;
    this.#disconnect();
    this.#settings.onOutcome({ latencyMs: 0, firstByteMs: 0, failure: reason });
    this.#rest(reason);
  }

  #failure(): string | undefined {
    const tail = Buffer.concat(this.#tail);
    if (!/^HTTP\/1\.1 200/.test(this.#head)) {
      return `${this.#head.split('\r\n')[0]}: ${tail.toString().slice(0, FAILURE_TEXT_MAX)}`;
    }
    const expected = this.#settings.expectedEvents;
    if (this.#events !== expected) return `${this.#events} events instead of ${expected}`;
    return this.#settings.verify.check(tail);
  }
}

/** For the end of a chat answer, plain or streamed. */
export function verifyChatEnd(tail: Buffer, expectedEvents: number): string | undefined {
  if (!tail.includes('"total_tokens":')) return 'answer without usage';
  if (expectedEvents === 0) return undefined;
  return tail.subarray(-14).toString().trimEnd() === 'data: [DONE]' ? undefined : 'stream without [DONE]';
}

/** Counts empty lines in a piece of a stream, given the last byte of the piece before it. */
export function countEventEnds(piece: Buffer, lastByte: number): number {
  let count = 0;
  let previous = lastByte === NEWLINE ? -1 : -2;
  for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) {
    if (previous === at - 1) {
      count += 1;
      previous = -2;
    } else {
      previous = at;
    }
  }
  return count;
}
