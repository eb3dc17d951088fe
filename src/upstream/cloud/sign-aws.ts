import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { AwsKeys } from '../../catalog/cloud.ts';
import { nextTurn } from '../../kernel/async/next-turn.ts';
import type { GrantRequest, Headers } from '../contract.ts';
import { CLOUD_TURN_BYTES } from './bounds.ts';

export interface AwsScope {
  readonly keys: AwsKeys;
  readonly region: string;
  readonly service: string;
  readonly nowMs: number;
}

/**
 * Headers with a signature by AWS's version 4. Signed are host, content type and body; other headers may be
 * added. The signer is loaded when the first request needs it: most installations never do.
 */
export async function signAws(request: GrantRequest, scope: AwsScope): Promise<Headers> {
  const { SignatureV4 } = await import('@smithy/signature-v4');
  const { keys, region, service, nowMs } = scope;
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    region,
    service,
    sha256: Sha256,
  });
  const url = new URL(request.path, request.origin);
  const type = request.headers[request.headers.indexOf('content-type') + 1] ?? '';
  const bodyHash = await hashBody(request.body);
  const { headers } = await signer.sign(
    {
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, 'content-type': type, 'x-amz-content-sha256': bodyHash },
    },
    { signingDate: new Date(nowMs) },
  );
  // The connection writes the host, and the request has its type already.
  const added = Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'content-type');
  return added.flat();
}

async function hashBody(body: readonly Buffer[]): Promise<string> {
  const hash = createHash('sha256');
  let inTurn = 0;
  for (const piece of body) {
    for (let at = 0; at < piece.length; at += CLOUD_TURN_BYTES) {
      const slice = piece.subarray(at, at + CLOUD_TURN_BYTES);
      hash.update(slice);
      inTurn += slice.length;
      if (inTurn < CLOUD_TURN_BYTES) continue;
      inTurn = 0;
      await nextTurn();
    }
  }
  return hash.digest('hex');
}

/** Node's hashes in the form that the signer takes. */
export class Sha256 {
  readonly #secret: Uint8Array | string | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: unknown) {
    this.#secret = typeof secret === 'string' || secret instanceof Uint8Array ? secret : undefined;
    this.#hash = this.#begin();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}
