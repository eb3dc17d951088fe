import { connect, type Socket } from 'node:net';

/** How an answer ended, seen from the socket: after its last byte, by FIN before it, by RST, or never. */
export type Ending = 'whole' | 'fin' | 'reset' | 'silence';

export interface Received {
  /** 0: there was no answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  readonly ending: Ending;
  readonly durationMs: number;
}

export interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** After this the client stops waiting: an answer must come within its limit. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 120_000;

/** The bytes of a request, written by us: no client library has an opinion about them. */
export function requestBytes(sent: Sent): Buffer {
  const body = Buffer.from(sent.body ?? '');
  const headers = { host: 'gateway', 'content-length': String(body.length), ...sent.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${sent.method ?? 'POST'} ${sent.path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    body,
  ]);
}

export function dial(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setNoDelay();
  return socket;
}

/** One request on a connection of its own, and everything that came back. */
export function exchange(url: string, sent: Sent): Promise<Received> {
  return exchangeBytes(url, requestBytes(sent), sent.patienceMs);
}

export function exchangeBytes(url: string, bytes: Buffer, patienceMs = PATIENCE_MS): Promise<Received> {
  const socket = dial(url);
  socket.write(bytes);
  return receive(socket, patienceMs);
}

/** Reads one answer from a socket; the socket is destroyed afterwards. */
export function receive(socket: Socket, patienceMs = PATIENCE_MS): Promise<Received> {
  const startedAt = performance.now();
  const answer = new AnswerReader();
  return new Promise((resolve) => {
    const finish = (ending: Ending): void => {
      clearTimeout(timer);
      socket.destroy();
      const { status, headers } = answer;
      const body = answer.body();
      const durationMs = performance.now() - startedAt;
      resolve({ status, headers, body, text: body.toString(), ending, durationMs });
    };
    const timer = setTimeout(() => finish('silence'), patienceMs);
    socket.on('data', (chunk: Buffer) => {
      answer.push(chunk);
      if (answer.whole) finish('whole');
    });
    socket.on('end', () => finish('fin'));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 'reset' : 'silence'),
    );
  });
}

/** Just enough of HTTP/1.1 to know where an answer ends. */
export class AnswerReader {
  status = 0;
  headers: Record<string, string> = {};
  whole = false;
  #pending: Buffer = Buffer.alloc(0);
  #length: number | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #headDone = false;

  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (!this.#headDone && !this.#head()) return;
    if (this.headers['transfer-encoding'] === 'chunked') while (this.#chunk());
    else this.#plain();
  }

  body(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** What came behind the end of the answer: the next one, on a connection that lives on. */
  get rest(): Buffer {
    return this.#pending;
  }

  #head(): boolean {
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const [first = '', ...lines] = this.#pending.subarray(0, end).toString('latin1').split('\r\n');
    this.#pending = this.#pending.subarray(end + 4);
    this.status = Number(first.split(' ')[1]);
    for (const line of lines) {
      const colon = line.indexOf(':');
      this.headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    // An interim answer is no answer.
    if (this.status < 200) return this.#head();
    const length = this.headers['content-length'];
    this.#length = length === undefined ? undefined : Number(length);
    this.#headDone = true;
    return true;
  }

  #plain(): void {
    const wanted = (this.#length ?? Number.POSITIVE_INFINITY) - this.#bytes;
    this.#take(Math.min(wanted, this.#pending.length));
    this.whole = this.#bytes === this.#length;
  }

  #chunk(): boolean {
    const end = this.#pending.indexOf('\r\n');
    if (end === -1) return false;
    const size = Number.parseInt(this.#pending.subarray(0, end).toString('latin1'), 16);
    if (this.#pending.length < end + 2 + size + 2) return false;
    this.#pending = this.#pending.subarray(end + 2);
    this.#take(size);
    this.#pending = this.#pending.subarray(2);
    this.whole = size === 0;
    return !this.whole;
  }

  #take(bytes: number): void {
    if (bytes > 0) this.#pieces.push(this.#pending.subarray(0, bytes));
    this.#bytes += bytes;
    this.#pending = this.#pending.subarray(bytes);
  }
}
