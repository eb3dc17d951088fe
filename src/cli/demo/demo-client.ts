import { RESPONSE_BODY_BYTES_MAX } from '../../bounds.ts';
import { ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type { UpstreamClient, UpstreamFailure, UpstreamHead } from '../../upstream/contract.ts';
import { createUpstreamClient } from '../../upstream/http/client.ts';
import { CommandFailed } from '../command.ts';
import type { Shape } from './demo-shapes.ts';

/** A whole answer. The demo waits for the end of a stream before it shows it. */
export interface DemoAnswer {
  readonly status: number;
  readonly requestId: string;
  readonly body: string;
}

const TIMEOUTS = { connectMs: 30_000, firstByteMs: 60_000, idleMs: 60_000 };

/** Calls the gateway over a real socket, as any client does. */
export class DemoClient {
  readonly #client: UpstreamClient = createUpstreamClient();
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  ask(shape: Shape): Promise<DemoAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<DemoAnswer>();
    const chunks: Buffer[] = [];
    let head: UpstreamHead | undefined;
    let bytes = 0;
    const fail = (why: string): void => reject(new CommandFailed(`${shape.path}: ${why}`));
    const exchange = this.#client.send(this.#request(shape), {
      onHead: (arrived) => {
        head = arrived;
      },
      onData: (chunk) => {
        bytes += chunk.length;
        chunks.push(ownCopy(chunk));
        if (bytes <= RESPONSE_BODY_BYTES_MAX) return;
        exchange.abort();
        fail('the answer is too large');
      },
      onEnd: () =>
        resolve({
          status: head?.status ?? 0,
          requestId: head?.headers['x-request-id'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      onFailure: ({ kind, detail }: UpstreamFailure) => fail(`${kind} ${detail}`),
    });
    return promise;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #request({ path, headers, body }: Shape) {
    const fields = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      ...headers,
    };
    return {
      origin: this.#origin,
      reach: 'any' as const,
      path,
      method: 'POST' as const,
      headers: Object.entries(fields).flat(),
      body: [Buffer.from(JSON.stringify(body))],
      timeouts: TIMEOUTS,
    };
  }
}
