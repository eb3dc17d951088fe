import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { IMAGES, type Shape, TEXT_SHAPES, type Way } from './shapes.ts';

/** One call as its client saw it. Times are of `performance.now()`. */
export interface Seen {
  readonly tag: string;
  readonly shape: Shape;
  readonly way: Way;
  readonly payer: Payer;
  requestId: string | undefined;
  status: number | undefined;
  retryAfter: string | undefined;
  /** When each token came. */
  readonly arrivals: number[];
  text: string;
  /** The client has the whole answer: the terminator of a stream, every byte of a plain one. */
  finished: boolean;
  /** The connection ended by a reset or before the end, not cleanly. */
  broken: boolean;
  /** The system's word for why there was no answer. */
  failure: string | undefined;
  endedAt: number;
}

/** Who is expected to pay for what a client asks for. */
export type Payer = 'credits' | 'subscription' | 'byok';

export interface Client {
  readonly url: string;
  readonly key: string;
  /** Credits when it is not said. */
  readonly payer?: Payer;
  /** Asks otherwise than others do, for the same answer. */
  readonly reshape?: (shape: Shape) => Shape;
}

export interface Ask {
  readonly shape: Shape;
  readonly way: Way;
  /** For the simulator; the tag in it is the call's name. */
  readonly directive: string;
}

/** Makes one call and tells what came of it; it never throws. */
export function call(client: Client, ask: Ask, agent?: Agent): Promise<Seen> {
  return begin(client, ask, agent).ended;
}

/** A call on its way: what its client has seen so far, and its end. */
export interface Begun {
  readonly seen: Seen;
  readonly ended: Promise<Seen>;
  /** The client leaves. */
  abort(): void;
}

export function begin(
  { url, key, payer = 'credits' }: Client,
  { shape, way, directive }: Ask,
  agent?: Agent,
): Begun {
  const seen: Seen = {
    tag: /tag=(\S+)/.exec(directive)?.[1] ?? '',
    shape,
    way,
    payer,
    requestId: undefined,
    status: undefined,
    retryAfter: undefined,
    arrivals: [],
    text: '',
    finished: false,
    broken: false,
    failure: undefined,
    endedAt: 0,
  };
  const body = JSON.stringify(shape.body(`Say something. [[sim ${directive}]]`, way));
  let sent: ClientRequest | undefined;
  const ended = new Promise<Seen>((resolve) => {
    const end = (): void => {
      seen.endedAt = performance.now();
      resolve(seen);
    };
    sent = request(url + shape.path(way), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      agent,
    });
    sent.once('error', ({ code }: NodeJS.ErrnoException) => {
      seen.broken = true;
      seen.failure = code;
      end();
    });
    sent.once('response', (response) => watch(response, seen, end));
    sent.end(body);
  });
  return { seen, ended, abort: () => void sent?.destroy() };
}

function watch(response: IncomingMessage, seen: Seen, end: () => void): void {
  seen.status = response.statusCode;
  seen.requestId = String(response.headers['x-request-id']);
  seen.retryAfter = response.headers['retry-after'];
  const pattern = new RegExp(seen.shape.token.source, 'g');
  response.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.now();
    seen.text += text;
    while (pattern.lastIndex < seen.text.length) {
      const from = pattern.lastIndex;
      if (pattern.exec(seen.text) === null) {
        // The rest may be the beginning of a match that the next piece completes.
        pattern.lastIndex = from;
        break;
      }
      seen.arrivals.push(now);
    }
    if (seen.way === 'stream' && seen.status === 200) seen.finished ||= text.includes(seen.shape.terminator);
  });
  response.once('error', () => {
    seen.broken = true;
  });
  response.once('close', () => {
    if (!response.complete) seen.broken = true;
    else if (seen.way === 'plain') seen.finished = seen.status === 200;
    end();
  });
}

const TICK_MS = 20;
const STALL_MS = 60;
const STALLS_MAX = 10_000;
const stalls: { readonly at: number; readonly lateMs: number }[] = [];
let tickedAt = performance.now();
setInterval(() => {
  const now = performance.now();
  const lateMs = now - tickedAt - TICK_MS;
  tickedAt = now;
  if (lateMs < STALL_MS) return;
  stalls.push({ at: now, lateMs });
  if (stalls.length > STALLS_MAX) stalls.shift();
}, TICK_MS).unref();

/** For how long this process, and so every client in it, saw nothing of what came between two moments. */
export function stalledMs(from: number, to: number): number {
  return stalls
    .filter(({ at, lateMs }) => at >= from && at - lateMs <= to)
    .reduce((sum, { lateMs }) => sum + lateMs, 0);
}

/** A small generator with a seed (mulberry32): a failing run can be had again. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface LoadSize {
  readonly streams: number;
  readonly plains: number;
  readonly images: number;
  readonly paceMs: number;
  /** Of a plain answer: so long for each of its tokens. */
  readonly plainPaceMs?: number;
}

export const PLAIN_PACE_MS = 10;

/** Clients that call again as soon as they have their answer, until they are told that it is over. */
export class Load {
  readonly seen: Seen[] = [];
  readonly #random: () => number;
  readonly #size: LoadSize;
  readonly #name: string;
  #over = true;
  #workers: Promise<void>[] = [];
  #made = 0;

  /** `name` begins the tag of each call; loads side by side have different ones. */
  constructor(size: LoadSize, random: () => number, name = 'c') {
    this.#name = name;
    this.#size = size;
    this.#random = random;
  }

  /** Several clients take turns with each shape. */
  start(...clients: readonly [Client, ...Client[]]): void {
    this.#over = false;
    const { streams, plains, images } = this.#size;
    const agent = new Agent({ keepAlive: true });
    const begin = (shapeAt: (index: number) => Shape, way: Way, count: number): void => {
      for (let index = 0; index < count; index++) {
        const client = clients[Math.floor(index / TEXT_SHAPES.length) % clients.length] ?? clients[0];
        const shape = shapeAt(index);
        this.#workers.push(this.#work(client, { shape: client.reshape?.(shape) ?? shape, way, agent }));
      }
    };
    const textAt = (index: number): Shape => TEXT_SHAPES[index % TEXT_SHAPES.length] ?? IMAGES;
    begin(textAt, 'stream', streams);
    begin(textAt, 'plain', plains);
    begin(() => IMAGES, 'plain', images);
  }

  /** No new calls; done when those on their way have ended, one way or the other. */
  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#workers);
    this.#workers = [];
  }

  async #work(
    client: Client,
    { shape, way, agent }: { readonly shape: Shape; readonly way: Way; readonly agent: Agent },
  ): Promise<void> {
    while (!this.#over) {
      const tag = `${this.#name}${++this.#made}`;
      const tokens = 5 + Math.floor(this.#random() * 70);
      const pacing =
        way === 'stream'
          ? `pace=${this.#size.paceMs}`
          : `delay=${tokens * (this.#size.plainPaceMs ?? PLAIN_PACE_MS)}`;
      const seen = await call(
        client,
        { shape, way, directive: `tag=${tag} tokens=${tokens} ${pacing}` },
        agent,
      );
      this.seen.push(seen);
      // A refused connection means that nobody listens any more.
      if (seen.status === undefined) return;
    }
  }
}
