import type { ServerResponse } from 'node:http';
import { COUNT_ANSWER_BYTES_MAX, COUNT_WAIT_MS } from '../../bounds.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHandler,
  UpstreamHead,
  UpstreamRequest,
} from '../../upstream/contract.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';

/** A vendor's answer, complete and short; `failed` if there is no usable one. */
export type CountReply =
  | { readonly kind: 'answer'; readonly head: UpstreamHead; readonly body: Buffer }
  | { readonly kind: 'failed'; readonly outcome: string }
  /** The client left and does not wait for the count. */
  | { readonly kind: 'client-gone' };

/** Asks a vendor for a count, within limits of time and size. It never throws. */
export function askVendor(
  request: Omit<UpstreamRequest, 'timeouts'>,
  response: ServerResponse,
  { client, plainTimeouts }: Pick<GatewayDeps, 'client' | 'plainTimeouts'>,
): Promise<CountReply> {
  const { connectMs } = plainTimeouts;
  const timeouts = { connectMs, firstByteMs: COUNT_WAIT_MS, idleMs: COUNT_WAIT_MS };
  return new Promise((resolve) => {
    const asking = new CountExchange(response, resolve);
    asking.attach(client.send({ ...request, timeouts }, asking));
  });
}

class CountExchange implements UpstreamHandler {
  readonly #response: ServerResponse;
  readonly #resolve: (reply: CountReply) => void;
  readonly #onClose = (): void => this.#cut({ kind: 'client-gone' });
  readonly #timer: NodeJS.Timeout;
  #exchange: UpstreamExchange | undefined;
  #head: UpstreamHead | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(response: ServerResponse, resolve: (reply: CountReply) => void) {
    this.#response = response;
    this.#resolve = resolve;
    // One timeout for the whole exchange: a vendor that sends byte by byte never triggers the others.
    this.#timer = setTimeout(() => this.#cut({ kind: 'failed', outcome: 'timeout' }), COUNT_WAIT_MS);
    response.once('close', this.#onClose);
  }

  attach(exchange: UpstreamExchange): void {
    this.#exchange = exchange;
    if (this.#response.closed) this.#onClose();
  }

  onHead(head: UpstreamHead): void {
    this.#head = head;
  }

  onData(chunk: LentBytes): void {
    this.#bytes += chunk.length;
    if (this.#bytes > COUNT_ANSWER_BYTES_MAX) this.#cut({ kind: 'failed', outcome: 'too-large' });
    else this.#chunks.push(ownCopy(chunk));
  }

  onEnd(): void {
    if (this.#head === undefined) this.#finish({ kind: 'failed', outcome: 'protocol' });
    else this.#finish({ kind: 'answer', head: this.#head, body: Buffer.concat(this.#chunks) });
  }

  onFailure({ kind }: UpstreamFailure): void {
    this.#finish({ kind: 'failed', outcome: kind });
  }

  #cut(reply: CountReply): void {
    this.#exchange?.abort();
    this.#finish(reply);
  }

  #finish(reply: CountReply): void {
    clearTimeout(this.#timer);
    this.#response.off('close', this.#onClose);
    this.#chunks = [];
    this.#resolve(reply);
  }
}
