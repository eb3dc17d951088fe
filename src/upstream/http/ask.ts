import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type {
  UpstreamClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHandler,
  UpstreamHead,
  UpstreamRequest,
  UpstreamTimeouts,
} from '../contract.ts';

export interface AskBounds {
  /** For all of it, from the connection to the last byte. */
  readonly waitMs: number;
  readonly bytesMax: number;
  /** Shorter waits for its parts. */
  readonly timeouts?: UpstreamTimeouts | undefined;
  /** Ends it early: nothing more is sent or awaited. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the answer begins. */
  readonly onHead?: () => void;
}

/** What came back, whole and short, or why nothing did. */
export type AskReply =
  | { readonly kind: 'answer'; readonly head: UpstreamHead; readonly body: Buffer }
  | { readonly kind: 'failed'; readonly reason: UpstreamFailure['kind'] | 'too-large' };

/** One question within bounds of time and size. It never throws and never waits longer. */
export function ask(
  client: UpstreamClient,
  request: Omit<UpstreamRequest, 'timeouts'>,
  bounds: AskBounds,
): Promise<AskReply> {
  const { waitMs } = bounds;
  const timeouts = bounds.timeouts ?? { connectMs: waitMs, firstByteMs: waitMs, idleMs: waitMs };
  return new Promise((resolve) => {
    const asking = new Asking(bounds, resolve);
    asking.attach(client.send({ ...request, timeouts }, asking));
  });
}

class Asking implements UpstreamHandler {
  readonly #bounds: AskBounds;
  readonly #resolve: (reply: AskReply) => void;
  readonly #timer: NodeJS.Timeout;
  #exchange: UpstreamExchange | undefined;
  #head: UpstreamHead | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(bounds: AskBounds, resolve: (reply: AskReply) => void) {
    this.#bounds = bounds;
    this.#resolve = resolve;
    // One time for all of it: who drips an answer keeps every other clock quiet.
    this.#timer = setTimeout(() => this.#cut('timeout'), bounds.waitMs);
    bounds.signal?.addEventListener('abort', () => this.#cut('timeout'), { once: true });
  }

  attach(exchange: UpstreamExchange): void {
    this.#exchange = exchange;
    if (this.#isOver) exchange.abort();
  }

  onHead(head: UpstreamHead): void {
    this.#head = head;
    this.#bounds.onHead?.();
  }

  onData(chunk: LentBytes): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bounds.bytesMax) this.#cut('too-large');
    else this.#chunks.push(ownCopy(chunk));
  }

  onEnd(): void {
    if (this.#head === undefined) this.#finish({ kind: 'failed', reason: 'protocol' });
    else this.#finish({ kind: 'answer', head: this.#head, body: Buffer.concat(this.#chunks) });
  }

  onFailure({ kind }: UpstreamFailure): void {
    this.#finish({ kind: 'failed', reason: kind });
  }

  #cut(reason: 'timeout' | 'too-large'): void {
    this.#exchange?.abort();
    this.#finish({ kind: 'failed', reason });
  }

  #finish(reply: AskReply): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#chunks = [];
    this.#resolve(reply);
  }
}
