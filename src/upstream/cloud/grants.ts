import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Grant, Grantor, UpstreamClient } from '../contract.ts';
import { ask } from '../http/ask.ts';
import {
  CLOUD_TOKEN_AHEAD_MS,
  CLOUD_TOKEN_BYTES_MAX,
  CLOUD_TOKEN_RETRY_MS,
  CLOUD_TOKEN_WAIT_MS,
  CLOUD_TOKENS_MAX,
} from './bounds.ts';

/** No grant: the vendor refused the secret, or did not answer. The message has nothing of the secret. */
export class NoGrant extends Error {
  override readonly name = 'NoGrant';
  readonly kind: 'refused' | 'unreachable';

  constructor(kind: 'refused' | 'unreachable', detail: string) {
    super(detail);
    this.kind = kind;
  }
}

interface Entry {
  grant: Grant | undefined;
  /** From then on it is renewed while it still serves. */
  renewAtMs: number;
  renewing: Promise<Grant> | undefined;
}

/**
 * Tokens of clouds, in memory. One is requested once however many calls wait for it, renewed ahead of its end
 * while calls go on with the old one, and renewed at once when the vendor refused it.
 */
export class Grants {
  readonly #client: UpstreamClient;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(client: UpstreamClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  get(grantor: Grantor): Grant | Promise<Grant> {
    const entry = this.#find(grantor.name);
    const nowMs = this.#clock.now();
    const { grant } = entry;
    if (grant === undefined || grant.expiresAtMs <= nowMs) return this.#renew(grantor, entry);
    if (entry.renewAtMs <= nowMs) {
      // A failure is tried again later: the old one still serves.
      entry.renewAtMs = nowMs + CLOUD_TOKEN_RETRY_MS;
      this.#renew(grantor, entry).catch(() => undefined);
    }
    return grant;
  }

  /** Another one than `refused`. Calls that were refused together wait for one renewal. */
  replace(grantor: Grantor, refused: Grant): Promise<Grant> {
    const entry = this.#find(grantor.name);
    const { grant } = entry;
    return grant === undefined || grant === refused ? this.#renew(grantor, entry) : Promise.resolve(grant);
  }

  #find(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      for (const oldest of this.#entries.keys()) {
        if (this.#entries.size < CLOUD_TOKENS_MAX) break;
        this.#entries.delete(oldest);
      }
      entry = { grant: undefined, renewAtMs: 0, renewing: undefined };
      this.#entries.set(name, entry);
    }
    return entry;
  }

  #renew(grantor: Grantor, entry: Entry): Promise<Grant> {
    entry.renewing ??= this.#request(grantor)
      .then((grant) => {
        entry.grant = grant;
        entry.renewAtMs = this.#renewAt(grant);
        return grant;
      })
      .finally(() => {
        entry.renewing = undefined;
      });
    return entry.renewing;
  }

  #renewAt({ expiresAtMs }: Grant): number {
    const lifeMs = expiresAtMs - this.#clock.now();
    return expiresAtMs - Math.min(CLOUD_TOKEN_AHEAD_MS, lifeMs / 5);
  }

  async #request(grantor: Grantor): Promise<Grant> {
    const request = await grantor.request(this.#clock.now());
    const bounds = { waitMs: CLOUD_TOKEN_WAIT_MS, bytesMax: CLOUD_TOKEN_BYTES_MAX };
    // The address is the vendor's own or the operator's, never that of an account.
    const reply = await ask(this.#client, { ...request, reach: 'any' }, bounds);
    if (reply.kind === 'failed') throw new NoGrant('unreachable', `no token: ${reply.reason}`);
    const { status } = reply.head;
    const body = reply.body.toString('utf8');
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      throw new NoGrant('refused', `The token request was refused with status ${status}${toReason(body)}`);
    }
    const grant = status === 200 ? grantor.read(body, this.#clock.now()) : undefined;
    if (grant === undefined) throw new NoGrant('unreachable', `no token: status ${status}`);
    return grant;
  }
}

/** The code of an OAuth error. Nothing else of the answer is repeated: it may quote the request. */
function toReason(body: string): string {
  const parsed = parseJson(body, { bytesMax: CLOUD_TOKEN_BYTES_MAX, depthMax: 8 });
  const error = parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value.error : undefined;
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
}
