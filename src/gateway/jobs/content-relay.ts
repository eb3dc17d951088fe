import type { ServerResponse } from 'node:http';
import { ERROR_BODY_BYTES_MAX } from '../../bounds.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHandler,
  UpstreamHead,
} from '../../upstream/contract.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import type { VendorAddress } from '../../upstream/vendor.ts';
import { giveUpAfter } from '../answer/answer.ts';
import { resetAfter } from '../answer/reset.ts';
import { type ChunkSource, ChunkWriter } from '../answer/write-chunk.ts';
import { contentHeaders, type JobRequest, type Owned } from './job-request.ts';

/** Content of a vendor, as its client gets it. */
export interface Content {
  readonly job: Owned;
  /** Headers of the vendor that describe the bytes, if these pass unchanged. */
  describe?(head: UpstreamHead): readonly string[];
  /** The first bytes are on their way. */
  began(): void;
  readonly change?: ContentChange | undefined;
}

/** Asks for content with GET and passes it on as it comes. Whatever is no content is returned. */
export function relayContent(
  request: JobRequest,
  address: VendorAddress,
  content: Content,
): Promise<AskReply | 'sent'> {
  const { response, gateway } = request;
  const { deps, times } = gateway;
  const headers = (head: UpstreamHead): readonly string[] => [
    ...contentHeaders(request, content.job, head),
    ...(content.describe?.(head) ?? []),
  ];
  const { change } = content;
  return new Promise((resolve) => {
    const watch = { headers, began: () => content.began(), change, ended: resolve };
    const relay = new ContentRelay(response, times.clientStallMs, watch);
    const asked = { ...address, method: 'GET', body: [], timeouts: deps.streamTimeouts } as const;
    relay.attach(deps.client.send(asked, relay));
  });
}

/** Changes content on its way. */
export interface ContentChange {
  push(chunk: LentBytes): Buffer;
  /** What is left at its end. */
  finish(): Buffer;
}

interface ContentWatch {
  headers(head: UpstreamHead): readonly string[];
  /** The first bytes are on their way. */
  began(): void;
  readonly change?: ContentChange | undefined;
  /** `sent`: the client has an answer, whole or broken off, or has left. */
  ended(result: AskReply | 'sent'): void;
}

/** Passes bytes from a vendor to a client. If the client does not read, the vendor is paused. */
class ContentRelay implements UpstreamHandler, ChunkSource {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #watch: ContentWatch;
  readonly #writer: ChunkWriter;
  readonly #onClose = (): void => this.#leave();
  #exchange: UpstreamExchange | undefined;
  #head: UpstreamHead | undefined;
  #flows = false;
  /** The body of an error. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  #stall: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, stallMs: number, watch: ContentWatch) {
    this.#response = response;
    this.#stallMs = stallMs;
    this.#watch = watch;
    this.#writer = new ChunkWriter(response, this);
    response.once('close', this.#onClose);
  }

  attach(exchange: UpstreamExchange): void {
    this.#exchange = exchange;
    if (this.#response.closed) this.#leave();
  }

  onHead(head: UpstreamHead): void {
    this.#head = head;
    if (head.status !== 200 && head.status !== 206) return;
    this.#flows = true;
    this.#response.writeHead(head.status, [...this.#watch.headers(head)]);
    this.#watch.began();
  }

  onData(chunk: LentBytes): void {
    if (this.#flows) {
      const { change } = this.#watch;
      this.#writer.write(change === undefined ? chunk : (change.push(chunk) as LentBytes));
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes <= ERROR_BODY_BYTES_MAX) {
      this.#chunks.push(ownCopy(chunk));
      return;
    }
    this.#exchange?.abort();
    this.#finish({ kind: 'failed', reason: 'too-large' });
  }

  onEnd(): void {
    const head = this.#head;
    if (head === undefined) this.#finish({ kind: 'failed', reason: 'protocol' });
    else if (!this.#flows) this.#finish({ kind: 'answer', head, body: Buffer.concat(this.#chunks) });
    else if (head.bodyEnd === 'closed') this.#breakOff();
    else {
      this.#response.end(this.#watch.change?.finish());
      giveUpAfter(this.#response, this.#stallMs);
      this.#finish('sent');
    }
  }

  onFailure({ kind }: UpstreamFailure): void {
    if (this.#flows) this.#breakOff();
    else this.#finish({ kind: 'failed', reason: kind });
  }

  onFull(): void {
    this.#exchange?.pause();
    this.#stall = setTimeout(() => {
      this.#exchange?.abort();
      this.#breakOff();
    }, this.#stallMs);
  }

  onDrained(): void {
    clearTimeout(this.#stall);
    this.#exchange?.resume();
  }

  /** A reset: after a clean end a part would look like the whole. */
  #breakOff(): void {
    resetAfter(this.#response, undefined);
    this.#finish('sent');
  }

  #leave(): void {
    this.#exchange?.abort();
    this.#finish('sent');
  }

  #finish(result: AskReply | 'sent'): void {
    clearTimeout(this.#stall);
    this.#response.off('close', this.#onClose);
    this.#chunks = [];
    this.#watch.ended(result);
  }
}
