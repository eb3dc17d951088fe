import type { Socket } from 'node:net';
import { UPSTREAM_READ_BYTES, UPSTREAM_READS_PER_TURN } from '../../bounds.ts';
import { assert } from '../../kernel/assert.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { StreamedBody, UpstreamFailure, UpstreamRequest, UpstreamTimeouts } from '../contract.ts';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import type { Dial, Opening } from './dial.ts';
import { chunkBytes, complaintAbout, LAST_CHUNK, requestBytes } from './request-bytes.ts';

/** The call that has a connection for itself. Exactly one of `onWhole` and `onBroken` ends it. */
export interface ConnectionUser {
  /** The request is about to be written. */
  onSending(): void;
  onAnswerHead(head: AnswerHead): void;
  readonly onAnswerBody: (bytes: LentBytes) => void;
  onWhole(): void;
  onBroken(failure: UpstreamFailure, by: BrokenBy): void;
}

/** The other side closed it, or anything else. */
export type BrokenBy = 'peer' | 'other';

export interface Origin {
  readonly url: URL;
  readonly dial: Dial;
}

/** A connection that carries one call only says so to the vendor. */
export type Lasting = 'keep-alive' | 'close';

/** What a socket reports when the other side has closed it. */
const CLOSED_CODES = new Set(['ECONNRESET', 'EPIPE']);
const DETAIL_LENGTH_MAX = 300;
const NOTHING_UNSENT: Buffer[] = [];

/**
 * A place for one socket to a vendor, and for one call on it at a time. The socket is opened for a call when
 * there is none; one that broke, or that the vendor wants closed, is replaced at the next call.
 */
export class Connection implements AnswerSink {
  /** Calls that the present socket has answered: one above 0 was idle before. */
  answered = 0;
  /** Some byte has come since the last request was written. */
  heard = false;
  readonly lasting: Lasting;
  readonly #origin: Origin;
  /** On its way to become the socket. */
  #opening: Opening | undefined;
  #socket: Socket | undefined;
  #reader: AnswerReader | undefined;
  #user: ConnectionUser | undefined;
  #request: UpstreamRequest | undefined;
  #timeouts: UpstreamTimeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0 };
  #isOpening = false;
  #isClosed = false;
  #isPaused = false;
  #fullReads = 0;
  #inBody = false;
  /** Something happened since the last look. */
  #moved = false;
  #movedAtMs = 0;
  /** Of a large request, what waits for the socket to take more. */
  #unsent = NOTHING_UNSENT;
  /** The body that is being sent, if it comes piece by piece. */
  #streamed: StreamedBody | undefined;
  #keepMs = 0;

  constructor(origin: Origin, lasting: Lasting) {
    this.#origin = origin;
    this.lasting = lasting;
  }

  send(request: UpstreamRequest, user: ConnectionUser): void {
    assert(this.#user === undefined && !this.#isClosed, 'a connection carries one call at a time');
    const complaint = complaintAbout(request);
    if (complaint !== undefined) {
      user.onBroken({ kind: 'connect', detail: complaint }, 'other');
      return;
    }
    this.#user = user;
    this.#request = request;
    if (this.#socket !== undefined) this.#write(this.#socket);
    else if (!this.#isOpening) this.#open();
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#inBody) this.#socket?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#moved = true;
    this.#socket?.resume();
  }

  /** The call wants no more: whatever it had begun is closed at once. */
  abandon(user: ConnectionUser): void {
    if (this.#user !== user) return;
    const wasSent = this.#request === undefined;
    this.#leave();
    if (wasSent) this.#drop();
    // Nobody else will come for it.
    if (this.lasting === 'close' || this.#isClosed) this.#hangUp();
  }

  /** Ends what runs, for good. Answers when the socket is gone. */
  async close(): Promise<void> {
    this.#hangUp();
    const socket = this.#socket;
    const kind = this.#request === undefined ? 'reset' : 'connect';
    this.#break({ kind, detail: 'the client was closed' }, 'other');
    if (socket === undefined || socket.closed) return;
    await new Promise((resolve) => socket.once('close', resolve));
  }

  /** For good, but not before its call has ended. */
  retire(): void {
    this.#isClosed = true;
    if (this.#user !== undefined) return;
    this.#hangUp();
    this.#drop();
  }

  /** Called every UPSTREAM_LOOK_MS. */
  look(nowMs: number): void {
    if (this.#socket === undefined) return;
    if (this.#moved || (this.#isPaused && this.#inBody)) {
      this.#moved = false;
      this.#movedAtMs = nowMs;
      return;
    }
    const quietMs = nowMs - this.#movedAtMs;
    if (this.#user === undefined) {
      if (quietMs >= this.#keepMs) this.#drop();
    } else if (this.#inBody) {
      if (quietMs >= this.#timeouts.idleMs) this.#break({ kind: 'idle', detail: 'silence' }, 'other');
    } else if (quietMs >= this.#timeouts.firstByteMs) {
      this.#break({ kind: 'timeout', detail: 'no head in time' }, 'other');
    }
  }

  onAnswerHead(head: AnswerHead): void {
    this.#moved = true;
    if (head.status >= 200) {
      this.#inBody = true;
      if (this.#isPaused) this.#socket?.pause();
    }
    this.#user?.onAnswerHead(head);
  }

  onAnswerBody(bytes: LentBytes): void {
    this.#moved = true;
    this.#user?.onAnswerBody(bytes);
  }

  onAnswerEnd(keepMs: number): void {
    const user = this.#user;
    const isLast = keepMs === 0 || this.lasting === 'close' || this.#isClosed || !this.#isAtRest();
    this.answered += 1;
    this.#keepMs = keepMs;
    if (this.#isPaused) this.#socket?.resume();
    this.#leave();
    if (isLast) this.#drop();
    user?.onWhole();
  }

  /** Everything was written; what has come is read at once, or not at all. */
  #isAtRest(): boolean {
    const socket = this.#socket;
    if (socket === undefined || this.#unsent.length > 0) return false;
    return socket.writableLength === 0;
  }

  #open(): void {
    const reader = new AnswerReader(this);
    this.#isOpening = true;
    const opening = this.#origin.dial({
      onOpen: (socket) => {
        this.#adopt(socket, reader);
        if (this.#user !== undefined) this.#write(socket);
      },
      onRefused: (error) => {
        this.#isOpening = false;
        this.#opening = undefined;
        this.#break({ kind: 'connect', detail: describe(error) }, 'other');
      },
      onRead: (bytes) => this.#read(reader, bytes),
    });
    if (this.#isOpening) this.#opening = opening;
  }

  /** For good. What is still opening is nobody's. */
  #hangUp(): void {
    this.#isClosed = true;
    this.#isOpening = false;
    this.#opening?.destroy();
    this.#opening = undefined;
  }

  #adopt(socket: Socket, reader: AnswerReader): void {
    this.#isOpening = false;
    this.#opening = undefined;
    this.#socket = socket;
    this.#reader = reader;
    this.answered = 0;
    this.#keepMs = 0;
    this.#moved = true;
    socket.on('end', () => {
      if (!reader.close())
        this.#breakIfCurrent(socket, { kind: 'reset', detail: 'closed by the vendor' }, 'peer');
    });
    socket.on('error', (error: Error) => {
      const by = CLOSED_CODES.has((error as { code?: string }).code ?? '') ? 'peer' : 'other';
      this.#breakIfCurrent(socket, { kind: 'reset', detail: describe(error) }, by);
    });
    socket.on('drain', () => {
      if (this.#socket !== socket) return;
      this.#writeOn(socket, this.#unsent);
      this.#streamed?.onDrain();
    });
    socket.on('close', () => this.#breakIfCurrent(socket, { kind: 'reset', detail: 'closed' }, 'peer'));
  }

  /** Of a socket that is no longer ours nothing is wanted. */
  #read(reader: AnswerReader, bytes: LentBytes): void {
    if (this.#reader !== reader) return;
    this.heard = true;
    const complaint = reader.push(bytes);
    if (complaint !== undefined && this.#reader === reader) {
      this.#break({ kind: 'protocol', detail: complaint }, 'other');
    }
    // A read that is not full is the last one of its turn.
    if (bytes.length === UPSTREAM_READ_BYTES) this.#takeTurns();
  }

  /** A vendor that sends as fast as it can is read on in the next turn: others have theirs before. */
  #takeTurns(): void {
    const socket = this.#socket;
    this.#fullReads += 1;
    if (this.#fullReads < UPSTREAM_READS_PER_TURN || socket === undefined || !this.#inBody) return;
    this.#fullReads = 0;
    socket.pause();
    setImmediate(() => {
      if (this.#socket === socket && !this.#isPaused) socket.resume();
    });
  }

  #write(socket: Socket): void {
    const request = this.#request;
    assert(request !== undefined && this.#reader !== undefined, 'a call brings its request');
    this.#request = undefined;
    this.#timeouts = request.timeouts;
    this.#moved = true;
    this.#inBody = false;
    this.heard = false;
    this.#user?.onSending();
    this.#reader.expect();
    const pieces = requestBytes(request, this.#origin.url.host, this.lasting);
    if (pieces.length === 1) socket.write(pieces[0] as Buffer);
    else this.#writeOn(socket, pieces.reverse());
    if (request.streamed !== undefined) this.#stream(socket, request.streamed);
  }

  /** What is written after the call has left, or for another socket, goes nowhere. */
  #stream(socket: Socket, streamed: StreamedBody): void {
    this.#streamed = streamed;
    const isCurrent = (): boolean => this.#socket === socket && this.#streamed === streamed;
    streamed.begin({
      write: (bytes) => {
        this.#moved = true;
        return !isCurrent() || bytes.length === 0 || socket.write(chunkBytes(bytes));
      },
      end: () => {
        this.#moved = true;
        if (isCurrent()) socket.write(LAST_CHUNK);
      },
    });
  }

  /** The next piece is the last of `unsent`. */
  #writeOn(socket: Socket, unsent: Buffer[]): void {
    this.#moved = true;
    this.#unsent = unsent;
    for (let piece = unsent.pop(); piece !== undefined; piece = unsent.pop()) {
      if (!socket.write(piece)) return;
    }
  }

  #leave(): void {
    this.#user = undefined;
    this.#request = undefined;
    this.#unsent = NOTHING_UNSENT;
    this.#streamed = undefined;
    this.#isPaused = false;
    this.#inBody = false;
    this.#moved = true;
  }

  #drop(): void {
    this.#reader?.stop();
    this.#reader = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  /** Of a socket that is no longer ours nothing is wanted. */
  #breakIfCurrent(socket: Socket, failure: UpstreamFailure, by: BrokenBy): void {
    if (this.#socket === socket) this.#break(failure, by);
  }

  #break(failure: UpstreamFailure, by: BrokenBy): void {
    const user = this.#user;
    this.#leave();
    this.#drop();
    user?.onBroken(failure, by);
  }
}

function describe(error: Error): string {
  const { code } = error as { code?: unknown };
  return `${typeof code === 'string' ? code : ''} ${error.message}`.trim().slice(0, DETAIL_LENGTH_MAX);
}
