import type { ServerResponse } from 'node:http';
import { ERROR_BODY_BYTES_MAX } from '../../bounds.ts';
import type { Job } from '../../jobs/contract.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHandler,
  UpstreamHead,
} from '../../upstream/contract.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { isHeaderValue } from '../../upstream/vendor.ts';
import { giveUpAfter } from '../answer/answer.ts';
import { resetAfter } from '../answer/reset.ts';
import { type ChunkSource, ChunkWriter } from '../answer/write-chunk.ts';
import { wrong } from '../endpoints/stored-answer.ts';
import { addressVideo } from './ask-vendor.ts';
import type { JobCredential } from './job-credential.ts';
import { endWithoutAnswer, type VideoEnd, type VideoRequest, videoHeaders } from './video-request.ts';

const VARIANTS: ReadonlySet<string> = new Set(['video', 'thumbnail', 'spritesheet']);
/** Headers of the client that ask for a part of the content. */
const ASKED = ['range', 'if-range'] as const;
/** Headers of the vendor that describe the content. */
const DESCRIBED = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/** The bytes of a video, as they come. Nothing is kept, and nothing is read. */
export async function serveContent(
  request: VideoRequest,
  job: Job,
  credential: JobCredential,
): Promise<VideoEnd> {
  const variant = new URLSearchParams(request.endpoint.query).get('variant');
  if (variant !== null && !VARIANTS.has(variant)) {
    return wrong('variant', 'must be "video", "thumbnail" or "spritesheet"');
  }
  const query = variant === null ? '' : `variant=${variant}`;
  const address = addressVideo(credential, job.objectId, { query });
  for (const name of ASKED) {
    const value = request.headers[name];
    if (typeof value === 'string' && isHeaderValue(value)) address.headers.push(name, value);
  }
  const { deps, times } = request.gateway;
  const reply = await new Promise<AskReply | 'sent'>((resolve) => {
    const relay = new ContentRelay(request.response, times.clientStallMs, {
      headers: (head) => [...videoHeaders(request, job, head), ...describe(head)],
      began: () => endJob(request, job),
      ended: resolve,
    });
    const asked = { ...address, method: 'GET', body: [], timeouts: deps.streamTimeouts } as const;
    relay.attach(deps.client.send(asked, relay));
  });
  return reply === 'sent' ? undefined : endWithoutAnswer(request, job, reply);
}

function describe({ headers }: UpstreamHead): string[] {
  return DESCRIBED.flatMap((name) => {
    const value = headers[name];
    return value !== undefined && isHeaderValue(value) ? [name, value] : [];
  });
}

/** Whoever has the video pays for it, whatever becomes of it at the vendor before the next question. */
function endJob({ gateway }: VideoRequest, { callId, state }: Job): void {
  const { tasks, jobs } = gateway.deps;
  if (state === 'running') tasks.run('jobs.end', async () => void (await jobs.end(callId, 'complete')));
}

interface ContentWatch {
  headers(head: UpstreamHead): readonly string[];
  /** The first bytes are on their way. */
  began(): void;
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
      this.#writer.write(chunk);
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
      this.#response.end();
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
