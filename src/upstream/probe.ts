import type { CatalogSnapshot, Credential, Route, Vendor } from '../catalog/contract.ts';
import { isJsonObject, parseJson } from '../kernel/encoding/json.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Clock } from '../kernel/time/clock.ts';
import {
  PROBE_ANSWER_BYTES_MAX,
  PROBE_IMAGE_BYTES_MAX,
  PROBE_IMAGE_WAIT_MS,
  PROBE_MESSAGE_CHARS_MAX,
  PROBE_WAIT_MS,
  PROBES_AT_ONCE,
} from '../operations/bounds.ts';
import type { UpstreamClient } from './contract.ts';
import { type AskReply, ask } from './http/ask.ts';
import { addressVendor, VENDOR_JSON } from './vendor.ts';

/** The result of one real call with a credential. */
export type Probe =
  | (Timing & { readonly kind: 'works'; readonly status: number })
  | (Timing & { readonly kind: 'fails'; readonly status: number | undefined; readonly message: string })
  | { readonly kind: 'busy' };

interface Timing {
  readonly latencyMs: number;
  /** Undefined if no answer began. */
  readonly firstByteMs: number | undefined;
}

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
  ['completions', (model) => ({ model, prompt: 'Hi', max_tokens: 1 })],
  ['embeddings', (model) => ({ model, input: 'Hi' })],
  ['gemini-embeddings', () => ({ content: { parts: [{ text: 'Hi' }] } })],
  ['moderations', (model) => ({ model, input: 'Hi' })],
  ['rerank', (model) => ({ model, query: 'Hi', documents: ['Hi'] })],
  ['speech', (model) => ({ model, input: 'Hi', voice: 'alloy' })],
];

/** For a route that makes nothing but images: one of them. */
const IMAGE: (typeof QUESTIONS)[number] = ['images', (model) => ({ model, prompt: 'A dot', n: 1 })];

/** Newer models of Chat Completions know the limit by this name only. */
const NEWER_CHAT = (model: string): object => ({
  model,
  max_completion_tokens: 16,
  messages: [{ role: 'user', content: 'Hi' }],
});

/**
 * Tests credentials and routes, with the same client and the same addresses as calls: what is
 * refused to a call is refused here. One test at a time per account or thing, and few in total.
 */
export class Prober {
  readonly #client: UpstreamClient;
  readonly #clock: Clock;
  readonly #running = new Set<string>();

  constructor(client: UpstreamClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** A BYOK credential, with the cheapest text model that the platform has of its vendor. */
  probe(target: ProbeTarget, catalog: CatalogSnapshot): Promise<Probe> {
    return this.#alone(`account ${target.accountId}`, () => {
      const found = findRoute(catalog, target.vendor);
      if (found === undefined) return Promise.resolve(NO_MODEL);
      return this.#ask({ ...found, vendor: target.vendor, credential: toCredential(target) });
    });
  }

  /** A route as it is, also when it is disabled. `name` is that of the test: of one name one runs. */
  test(name: string, route: Route): Promise<Probe> {
    return this.#alone(name, () => this.#ask(route));
  }

  async #alone(name: string, work: () => Promise<Probe>): Promise<Probe> {
    if (this.#running.size >= PROBES_AT_ONCE || this.#running.has(name)) return { kind: 'busy' };
    this.#running.add(name);
    try {
      return await work();
    } finally {
      this.#running.delete(name);
    }
  }

  async #ask(route: Route): Promise<Probe> {
    const question = [...QUESTIONS, IMAGE].find(([name]) => route.protocols.includes(name));
    if (question === undefined) return NO_QUESTION;
    const [protocol, createBody] = question;
    const waitMs = protocol === 'images' ? PROBE_IMAGE_WAIT_MS : PROBE_WAIT_MS;
    const first = await this.#askWith(route, { protocol, body: createBody(route.forwardModelId), waitMs });
    if (protocol !== 'chat' || first.kind !== 'fails' || first.status !== 400) return first;
    const body = NEWER_CHAT(route.forwardModelId);
    return this.#askWith(route, { protocol, body, waitMs: Math.max(1, waitMs - first.latencyMs) });
  }

  async #askWith(route: Route, { protocol, body, waitMs }: Question): Promise<Probe> {
    const asked = { action: 'generate', clientHeaders: {}, contentType: VENDOR_JSON, query: '' } as const;
    const address = addressVendor({ route, protocol, ...asked });
    const question = { ...address, method: 'POST', body: [Buffer.from(JSON.stringify(body))] } as const;
    const startedMs = this.#clock.monotonic();
    const sinceMs = (): number => Math.round(this.#clock.monotonic() - startedMs);
    let firstByteMs: number | undefined;
    const bounds = {
      waitMs,
      bytesMax:
        protocol === 'images' || protocol === 'speech' ? PROBE_IMAGE_BYTES_MAX : PROBE_ANSWER_BYTES_MAX,
      onHead: () => {
        firstByteMs = sinceMs();
      },
    };
    const reply = await ask(this.#client, question, bounds);
    return judge(reply, route.credential.secret, { latencyMs: sinceMs(), firstByteMs });
  }
}

interface Question {
  readonly protocol: Protocol;
  readonly body: object;
  readonly waitMs: number;
}

/** The smallest sound is a file, and the smallest video costs as much as any. */
const NO_QUESTION: Probe = {
  ...{ kind: 'fails', status: undefined, latencyMs: 0, firstByteMs: undefined },
  message: 'There is no small call of this protocol to try',
};

const NO_MODEL: Probe = {
  ...{ kind: 'fails', status: undefined, latencyMs: 0, firstByteMs: undefined },
  message: 'The platform has no text model of this vendor to try',
};

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

/** The cheapest text model of the vendor, because the owner of the credential pays. */
export function findRoute({ models }: CatalogSnapshot, vendor: Vendor): Route | undefined {
  const open = [...models.values()]
    .filter(({ status }) => status === 'enabled')
    .sort((one, other) => Number(one.prices.outputMicro - other.prices.outputMicro));
  for (const [protocol] of QUESTIONS) {
    for (const { routes } of open) {
      const route = routes.find(
        (each) =>
          each.vendor.code === vendor.code && each.status === 'enabled' && each.protocols.includes(protocol),
      );
      if (route !== undefined) return route;
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

function judge(reply: AskReply, secret: string, timing: Timing): Probe {
  if (reply.kind === 'failed') {
    return { kind: 'fails', status: undefined, ...timing, message: SILENCES[reply.reason] };
  }
  const { status } = reply.head;
  const parsed = parseJson(reply.body.toString('utf8'), { bytesMax: PROBE_IMAGE_BYTES_MAX, depthMax: 64 });
  const value = parsed.kind === 'parsed' ? parsed.value : undefined;
  const body = Array.isArray(value) ? value[0] : value;
  const isSound = reply.head.headers['content-type']?.startsWith('audio/') === true;
  const isAnswer = isSound || (isJsonObject(body) && (body.error === undefined || body.error === null));
  if (status >= 200 && status < 300 && isAnswer) return { kind: 'works', status, ...timing };
  const message = findErrorText(body, secret) ?? silentRefusal(status);
  return { kind: 'fails', status, ...timing, message };
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
  const safe = withoutSecret(text, secret)
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return safe.length > PROBE_MESSAGE_CHARS_MAX ? `${safe.slice(0, PROBE_MESSAGE_CHARS_MAX)}…` : safe;
}

/** So many characters of a secret in a row are a part of it and no accident. */
const SECRET_PART = /[!-~]{8,}/g;

/** Some vendors repeat the key that they refuse, or its beginning. */
function withoutSecret(text: string, secret: string): string {
  return text
    .replaceAll(secret, '…')
    .replaceAll(encodeURIComponent(secret), '…')
    .replace(SECRET_PART, (word) => {
      const bare = word.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
      return bare.length >= 8 && secret.includes(bare) ? word.replace(bare, () => '…') : word;
    });
}
