import type { CatalogSnapshot, Credential, Route, Vendor } from '../catalog/contract.ts';
import { isJsonObject, parseJson } from '../kernel/encoding/json.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Clock } from '../kernel/time/clock.ts';
import {
  PROBE_ANSWER_BYTES_MAX,
  PROBE_MESSAGE_CHARS_MAX,
  PROBE_WAIT_MS,
  PROBES_AT_ONCE,
} from '../operations/bounds.ts';
import type { UpstreamClient } from './contract.ts';
import { type AskReply, ask } from './http/ask.ts';
import { addressVendor, VENDOR_JSON } from './vendor.ts';

/** The result of one real call with a credential. */
export type Probe =
  | { readonly kind: 'works'; readonly status: number; readonly latencyMs: number }
  | {
      readonly kind: 'fails';
      readonly status: number | undefined;
      readonly latencyMs: number;
      readonly message: string;
    }
  | { readonly kind: 'busy' };

/** A BYOK credential to test. Its secret may not be stored yet. */
export interface ProbeTarget {
  readonly accountId: number;
  readonly vendor: Vendor;
  readonly secret: string;
  readonly baseUrl: string | undefined;
}

/** In the order of preference: the smallest request of each protocol, without images. */
const QUESTIONS: readonly (readonly [Protocol, (model: string) => object])[] = [
  ['messages', (model) => ({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })],
  [
    'gemini',
    () => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { maxOutputTokens: 1 },
    }),
  ],
  // Sixteen is the minimum of Responses.
  ['responses', (model) => ({ model, input: 'Hi', max_output_tokens: 16, store: false })],
  ['chat', (model) => ({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })],
];

/**
 * Tests BYOK credentials, with the same client and the same addresses as calls: what is
 * refused to a call is refused here. One test at a time per account, and few in total.
 */
export class Prober {
  readonly #client: UpstreamClient;
  readonly #clock: Clock;
  readonly #running = new Set<number>();

  constructor(client: UpstreamClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async probe(target: ProbeTarget, catalog: CatalogSnapshot): Promise<Probe> {
    const { accountId } = target;
    if (this.#running.size >= PROBES_AT_ONCE || this.#running.has(accountId)) return { kind: 'busy' };
    this.#running.add(accountId);
    try {
      return await this.#ask(target, catalog);
    } finally {
      this.#running.delete(accountId);
    }
  }

  async #ask(target: ProbeTarget, catalog: CatalogSnapshot): Promise<Probe> {
    const found = findQuestion(catalog, target.vendor);
    if (found === undefined) {
      const message = 'The platform has no text model of this vendor to try';
      return { kind: 'fails', status: undefined, latencyMs: 0, message };
    }
    const { protocol, body } = found;
    const route = { ...found.route, vendor: target.vendor, credential: toCredential(target) };
    const asked = { action: 'generate', clientHeaders: {}, contentType: VENDOR_JSON, query: '' } as const;
    const call = { route, protocol, ...asked };
    const startedMs = this.#clock.monotonic();
    const question = { ...addressVendor(call), method: 'POST', body: [Buffer.from(body)] } as const;
    const bounds = { waitMs: PROBE_WAIT_MS, bytesMax: PROBE_ANSWER_BYTES_MAX };
    const reply = await ask(this.#client, question, bounds);
    return judge(reply, target.secret, Math.round(this.#clock.monotonic() - startedMs));
  }
}

/** It belongs to the account, so its address must be in the public network. */
function toCredential({ accountId, vendor, secret, baseUrl }: ProbeTarget): Credential {
  return {
    id: 0,
    name: 'on trial',
    vendorCode: vendor.code,
    secret,
    baseUrl,
    rateMicro: 0n,
    limits: {},
    status: 'enabled',
    ownerAccountId: accountId,
  };
}

interface Question {
  readonly route: Route;
  readonly protocol: Protocol;
  readonly body: string;
}

/** The cheapest model of the vendor, because the user's own account pays. */
function findQuestion({ models }: CatalogSnapshot, vendor: Vendor): Question | undefined {
  const open = [...models.values()]
    .filter(({ status }) => status === 'enabled')
    .sort((one, other) => Number(one.prices.outputMicro - other.prices.outputMicro));
  for (const [protocol, bodyOf] of QUESTIONS) {
    for (const { routes } of open) {
      const route = routes.find(
        (each) =>
          each.vendor.code === vendor.code && each.status === 'enabled' && each.protocols.includes(protocol),
      );
      if (route !== undefined) return { route, protocol, body: JSON.stringify(bodyOf(route.forwardModelId)) };
    }
  }
  return undefined;
}

/** The message without an answer. It reveals neither the resolved address nor why it was refused. */
const SILENCES: Readonly<Record<Extract<AskReply, { kind: 'failed' }>['reason'], string>> = {
  busy: 'The address is busy, please try again',
  connect: 'The address cannot be reached',
  timeout: 'No answer came in time',
  idle: 'No answer came in time',
  reset: 'The connection broke before an answer came',
  protocol: 'What answers there does not speak HTTP as a vendor does',
  'too-large': 'The answer is larger than that of any vendor',
};

function judge(reply: AskReply, secret: string, latencyMs: number): Probe {
  if (reply.kind === 'failed') {
    return { kind: 'fails', status: undefined, latencyMs, message: SILENCES[reply.reason] };
  }
  const { status } = reply.head;
  const parsed = parseJson(reply.body.toString('utf8'), { bytesMax: PROBE_ANSWER_BYTES_MAX, depthMax: 64 });
  const value = parsed.kind === 'parsed' ? parsed.value : undefined;
  const body = Array.isArray(value) ? value[0] : value;
  const isAnswer = isJsonObject(body) && (body.error === undefined || body.error === null);
  if (status >= 200 && status < 300 && isAnswer) return { kind: 'works', status, latencyMs };
  const message = findErrorText(body, secret) ?? silentRefusal(status);
  return { kind: 'fails', status, latencyMs, message };
}

function silentRefusal(status: number): string {
  if (status >= 300 && status < 400) return 'A redirect was answered, and none is followed';
  if (status >= 200 && status < 300) return 'What answers there is not a vendor of this protocol';
  return `The vendor answered with status ${status}`;
}

/** The error message for people. Nothing else of a foreign answer is returned. */
function findErrorText(body: unknown, secret: string): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const { error, message } = body;
  const text = isJsonObject(error) ? error.message : (error ?? message);
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  // Some vendors repeat the key they refuse.
  const safe = text
    .replaceAll(secret, '…')
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return safe.length > PROBE_MESSAGE_CHARS_MAX ? `${safe.slice(0, PROBE_MESSAGE_CHARS_MAX)}…` : safe;
}
