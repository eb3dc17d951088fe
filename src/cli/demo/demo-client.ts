import { RESPONSE_BODY_BYTES_MAX } from '../../bounds.ts';
import { ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type {
  UpstreamClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamHead,
} from '../../upstream/contract.ts';
import { createUpstreamClient } from '../../upstream/http/client.ts';
import { CommandFailed } from '../command.ts';
import type { Shape } from './demo-shapes.ts';

/** A whole answer. The demo waits for the end of a stream before it shows it. */
export interface DemoAnswer {
  readonly status: number;
  readonly requestId: string;
  readonly body: string;
}

export interface Manner {
  readonly key: string;
  /** The client leaves after so many bytes of the answer. */
  readonly leaveAfterBytes?: number | undefined;
}

type Asked = Pick<Shape, 'path' | 'headers' | 'body'>;

const TIMEOUTS = { connectMs: 30_000, firstByteMs: 60_000, idleMs: 60_000 };

/** Calls the gateway over a real socket, as any client does. */
export class DemoClient {
  readonly #client: UpstreamClient = createUpstreamClient();
  readonly #origin: string;
  /** The calls under way, and how each is given up. */
  readonly #underWay = new Set<() => void>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  ask(asked: Asked, { key, leaveAfterBytes }: Manner): Promise<DemoAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<DemoAnswer>();
    const chunks: Buffer[] = [];
    let head: UpstreamHead | undefined;
    let bytes = 0;
    let exchange: UpstreamExchange | undefined;
    const end = (): void => {
      const body = Buffer.concat(chunks).toString('utf8');
      resolve({ status: head?.status ?? 0, requestId: head?.headers['x-request-id'] ?? '', body });
    };
    const fail = (why: string): void => reject(new CommandFailed(`${asked.path}: ${why}`));
    const leave = (): void => {
      exchange?.abort();
      fail('left');
    };
    this.#underWay.add(leave);
    exchange = this.#client.send(this.#request(asked, key), {
      onHead: (arrived) => {
        head = arrived;
      },
      onData: (chunk) => {
        bytes += chunk.length;
        chunks.push(ownCopy(chunk));
        if (bytes > (leaveAfterBytes ?? RESPONSE_BODY_BYTES_MAX)) leave();
      },
      onEnd: end,
      onFailure: ({ kind, detail }: UpstreamFailure) => fail(`${kind} ${detail}`),
    });
    return promise.finally(() => this.#underWay.delete(leave));
  }

  close(): Promise<void> {
    for (const leave of this.#underWay) leave();
    return this.#client.close();
  }

  #request({ path, headers, body }: Asked, key: string) {
    const fields = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
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
