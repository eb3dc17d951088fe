import type { TruthCall } from '../../../sim/truth.ts';
import { systemRandom } from '../../../src/kernel/random.ts';
import { openSealer } from '../../../src/setup.ts';
import { type AccountPatch, updateAccount } from '../../../src/store/accounts/accounts.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
import { addByok } from '../../../src/store/accounts/byok.ts';
import { grantSubscription } from '../../../src/store/accounts/subscriptions.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import { type AccountOptions, accountWith } from '../../support/calls.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall, paidCredits } from '../logged-call.ts';

/** A world in which every payer has something to do; and customers, as poor or as well provided as wanted. */

const PRICES = 'prices: { input: "10", output: "30" }';
const model = (id: string, routes: string, rest = PRICES): string =>
  `  - { model_id: ${id}, name: ${id}, max_output_tokens: 4000, ${rest}, routes: [${routes}] }`;
const route = (vendor: string, forward: string, rest = ''): string =>
  `{ vendor: ${vendor}, credential: ${vendor}-main, forward_model_id: ${forward}${rest} }`;
const DEAR = 'prices: { input: "20", output: "100" }';
const GPT = route('openai', 'gpt-4o', ', protocols: [chat]');
const CLAUDE = route('anthropic', 'claude-sonnet-5');

const CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, protocols: [chat, responses, images], base_url: "\${SIM}/v1", byok: true, custom_base_url: true }
  - { code: anthropic, protocols: [messages], base_url: "\${SIM}", byok: true }
  - { code: google, protocols: [gemini], base_url: "\${SIM}", byok: true }
  - { code: closed, protocols: [chat], base_url: "\${SIM}/v1" }
  - { code: nowhere, protocols: [chat], base_url: "http://127.0.0.1:1/v1" }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai-platform }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic-platform }
  - { name: google-main, vendor: google, secret: sk-sim-google-platform }
  - { name: closed-main, vendor: closed, secret: sk-sim-openai-closed }
  - { name: nowhere-main, vendor: nowhere, secret: sk-nowhere }
  - { name: openai-off, vendor: openai, secret: sk-sim-openai-off, status: disabled }
models:
${model('gpt', GPT)}
${model('claude', CLAUDE, DEAR)}
${model('gemini', route('google', 'gemini-3-pro'))}
${model('painter', route('openai', 'gpt-image-1', ', protocols: [images]'), 'prices: { image: "0.3" }')}
${model('drawer', route('google', 'gemini-2.5-flash-image'), 'prices: { input: "10", output: "30", image: "0.3" }')}
${model('closed', route('closed', 'gpt-4.1'))}
${model('unreachable', route('nowhere', 'gpt-4o'))}
${model('routeless', '')}
${model('asleep', '{ vendor: openai, credential: openai-off, forward_model_id: gpt-4o-mini, protocols: [chat] }')}
${model('two-ways', `${route('openai', 'gpt-5-2026-08-01', ', protocols: [chat], priority: 1')}, ${CLAUDE}`)}
${model('switched-off', GPT, `status: disabled, ${PRICES}`)}
${model('for-promax', CLAUDE, `restriction: { kind: plan, level: 3 }, ${PRICES}`)}
${model('for-plus', GPT, `restriction: { kind: plan, level: 1 }, ${PRICES}`)}
${model('golden', CLAUDE, 'prices: { input: "9000000", output: "9000000" }')}
policies:
  - { id: 1, name: default, concurrency: 500, windows: [] }
  - { id: 2, name: two-a-minute, windows: [{ dimension: requests, seconds: 60, limit: 2 }] }
  - { id: 3, name: a-few-fen, windows: [{ dimension: amount, seconds: 3600, limit: "0.02" }] }
  - { id: 4, name: nothing-at-all, windows: [{ dimension: amount, seconds: 3600, limit: "0" }] }
  - { id: 5, name: two-images, windows: [{ dimension: images, seconds: 3600, limit: 2 }] }
plans:
  - { code: PLUS, level: 1, covers: { models: [gpt], windows: [{ seconds: 3600, amount: "0.02" }] } }
  - { code: PRO, level: 2, policy: 2, covers: { models: "*", windows: [{ seconds: 3600, amount: "5" }] } }
  - { code: PROMAX, level: 3, covers: { models: "*", windows: [{ seconds: 60, amount: "0.9" }, { seconds: 3600, amount: "5" }] } }
accounts: [{ email: user@example.com, password: "a test password" }]
`;

export interface Customer {
  readonly id: number;
  readonly key: string;
}

export interface Wanted extends AccountOptions {
  readonly patch?: AccountPatch;
  /** Of the key. */
  readonly policyId?: number;
  /** Plans that run now. */
  readonly plans?: readonly string[];
  /** Own credentials: of a vendor, with a secret. */
  readonly hosts?: readonly AddByokResult[];
}

export interface AddByokResult {
  readonly vendor: string;
  readonly secret: string;
  readonly baseUrl?: string;
}

/** What came of one call: what the client saw, what the log and the books say, what the vendors know. */
export interface Served {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, when it is JSON. */
  readonly body: Record<string, unknown>;
  readonly row: LoggedCall;
  /** Nothing: there is no consumption at all. */
  readonly paid: unknown;
  /** The calls that vendors got, in order. */
  readonly heard: readonly TruthCall[];
}

export interface Question {
  readonly model?: string;
  readonly words?: string;
  readonly body?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

let tags = 0;

export class PayerWorld {
  readonly world: World;

  private constructor(world: World) {
    this.world = world;
  }

  static async start(environment: Record<string, string> = {}): Promise<PayerWorld> {
    return new PayerWorld(await startWorld({ catalog: CATALOG, environment }));
  }

  close(): Promise<void> {
    return this.world.close();
  }

  async customer({ patch = {}, policyId, plans = [], hosts = [], ...money }: Wanted = {}): Promise<Customer> {
    const { database } = this.world;
    const id = await accountWith(database, money);
    await updateAccount(database, id, patch);
    const nowMs = Date.now();
    for (const planCode of plans) await this.subscribe(id, planCode, [nowMs - 1_000, nowMs + 3_600_000]);
    for (const byok of hosts) await this.host(id, byok);
    const wanted = {
      accountId: id,
      name: 'test',
      policyId,
      expiresAtMs: undefined,
      status: 'enabled',
    } as const;
    const created = await createKey(database, wanted, systemRandom);
    if (created.kind !== 'created') throw new Error(created.kind);
    await announceAndWait(database);
    return { id, key: created.text };
  }

  async subscribe(accountId: number, planCode: string, span: readonly [number, number]): Promise<void> {
    const [startsAtMs, endsAtMs] = span;
    const granted = await grantSubscription(this.world.database, {
      accountId,
      planCode,
      startsAtMs,
      endsAtMs,
    });
    if (granted.kind !== 'granted') throw new Error(granted.kind);
    await announceAndWait(this.world.database);
  }

  async host(accountId: number, { vendor, secret, baseUrl }: AddByokResult): Promise<void> {
    const { database, config } = this.world;
    const sealer = await openSealer(config, database);
    const ownHosts = new Set(baseUrl === undefined ? [] : [new URL(baseUrl).host]);
    const wanted = { accountId, vendorCode: vendor, name: secret, secret, baseUrl };
    const byok = await addByok(database, wanted, { sealer, ownHosts });
    if (byok.kind !== 'added') throw new Error(byok.kind);
    await announceAndWait(database);
  }

  async change({ id }: Customer, patch: AccountPatch): Promise<void> {
    await updateAccount(this.world.database, id, patch);
    await announceAndWait(this.world.database);
  }

  /** One call to its end, and everything that is known about it afterwards. */
  async ask({ key }: Customer, question: Question = {}): Promise<Served> {
    const { model: name = 'gpt', words = 'tokens=40', path = '/v1/chat/completions' } = question;
    const tag = `payer-${++tags}`;
    const content = `a prompt of some words [[sim tag=${tag} ${words}]]`;
    const body = path.includes('images')
      ? { model: name, prompt: content, ...question.body }
      : { model: name, messages: [{ role: 'user', content }], ...question.body };
    const headers = { ...this.world.headers(key), ...question.headers };
    const response = await this.world.post(path, body, headers);
    // A stream that is cut ends in a reset: what came before it is what was said.
    const text = await readAll(response);
    const requestId = response.headers.get('x-request-id');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : {},
      row: await loggedCall(this.world, requestId),
      paid: await paidCredits(this.world, requestId),
      heard: this.world.simulator.truth.list(tag),
    };
  }

  /** The next calls for this model of a vendor's end like this. */
  fail(forwardModel: string, status: number, times = 1): void {
    const headers = status === 429 ? { 'retry-after-ms': '1' } : {};
    this.world.simulator.script({ match: { model: forwardModel }, times, answer: { status, headers } });
  }
}

async function readAll(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? [])
      text += decoder.decode(chunk as Uint8Array, { stream: true });
  } catch {
    return text;
  }
  return text;
}

/** In micro-yuan, from what the vendor really made: 10 yuan a million in, 30 out, or as given. */
export function costOf(truth: TruthCall | undefined, prices: readonly [bigint, bigint] = [10n, 30n]): bigint {
  if (truth === undefined) throw new Error('no vendor heard of it');
  return BigInt(truth.inputTokens) * prices[0] + BigInt(truth.outputTokens) * prices[1];
}

/** 1 yuan is 1000 Credits. */
export const creditsOf = (amountMicro: bigint): bigint => amountMicro * 1000n;
