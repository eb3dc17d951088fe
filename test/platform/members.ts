import { updateAccount } from '../../src/store/accounts/accounts.ts';
import { grantSubscription } from '../../src/store/accounts/subscriptions.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { postMovement } from '../../src/store/ledger/movement.ts';
import type { ApiAnswer } from '../support/api.ts';
import { newMember } from '../support/logins.ts';
import { startWorld, type World } from '../support/world.ts';

/** A world with plans and vendors open to BYOK credentials, and people who are logged in to it. */

const CATALOG = `
system_rate: 90
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, protocols: [chat, responses, images], base_url: "\${SIM}/v1", byok: true, custom_base_url: true }
  - { code: anthropic, name: Anthropic, protocols: [messages], base_url: "\${SIM}", byok: true }
  - { code: google, name: Google, protocols: [gemini], base_url: "\${SIM}", byok: true }
  - { code: chatty, name: Chatty, protocols: [chat], base_url: "\${SIM}/v1", byok: true, custom_base_url: true }
  - { code: closed, name: Closed, protocols: [chat], base_url: "\${SIM}/v1" }
  - { code: idle, name: Idle, protocols: [chat], base_url: "\${SIM}/v1", byok: true }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai-platform }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic-platform }
  - { name: google-main, vendor: google, secret: sk-sim-google-platform }
  - { name: chatty-main, vendor: chatty, secret: sk-sim-openai-chatty }
models:
  - { model_id: gpt, name: GPT, max_output_tokens: 4000, prices: { input: "10", output: "30" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [responses, chat] }] }
  - { model_id: claude, name: Claude, prices: { input: "20", output: "100" }, routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5 }] }
  - { model_id: gemini, name: Gemini, prices: { input: "8", output: "60" }, routes: [{ vendor: google, credential: google-main, forward_model_id: gemini-3-pro }] }
  - { model_id: chatty, name: Chatty, prices: { input: "8", output: "60" }, routes: [{ vendor: chatty, credential: chatty-main, forward_model_id: gpt-4.1 }] }
  - { model_id: asleep, name: Asleep, status: disabled, prices: { input: "8", output: "60" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o-mini, protocols: [chat] }] }
policies:
  - { id: 1, name: default, concurrency: 500, windows: [] }
  - { id: 2, name: one-a-minute, windows: [{ dimension: requests, seconds: 60, limit: 1 }] }
  - { id: 3, name: pro, concurrency: 20, windows: [{ dimension: requests, seconds: 60, limit: 100 }, { dimension: amount, seconds: 3600, limit: "5" }] }
plans:
  - { code: PLUS, name: Plus, level: 1, covers: { models: [claude], windows: [] } }
  - { code: PRO, name: Pro, level: 2, policy: 3, covers: { models: [gpt], windows: [{ seconds: 18000, amount: "2" }, { seconds: 604800, amount: "10" }] } }
accounts: [{ email: user@example.com, password: "a test password" }]
`;

export interface MemberOptions {
  readonly credits?: bigint;
  readonly yuan?: bigint;
  readonly plan?: string;
  readonly patch?: Parameters<typeof updateAccount>[2];
}

export interface Member {
  readonly id: number;
  readonly email: string;
  readonly token: string;
  /** A request to the platform as this member. */
  ask(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
}

export class MemberWorld {
  readonly world: World;
  #members = 0;

  private constructor(world: World) {
    this.world = world;
  }

  static async start(environment: Record<string, string> = {}): Promise<MemberWorld> {
    return new MemberWorld(await startWorld({ catalog: CATALOG, environment }));
  }

  close(): Promise<void> {
    return this.world.close();
  }

  async member({ credits = 0n, yuan = 0n, plan, patch = {} }: MemberOptions = {}): Promise<Member> {
    const { database, api } = this.world;
    const email = `member-${++this.#members}@example.com`;
    const id = await newMember(database, email);
    await updateAccount(database, id, patch);
    await database.transaction(async (transaction) => {
      const opening = { accountId: id, kind: 'top_up', ref: 'opening' } as const;
      const [creditsMicro, balanceMicro] = [credits * 1_000_000n, yuan * 1_000_000n];
      if (credits > 0n)
        await postMovement(transaction, { ...opening, pool: 'credits', changeMicro: creditsMicro });
      if (yuan > 0n)
        await postMovement(transaction, { ...opening, pool: 'balance', changeMicro: balanceMicro });
    });
    if (plan !== undefined) await this.subscribe(id, plan);
    const token = await this.world.login(email);
    return { id, email, token, ask: (method, path, body) => api(method, path, { token, body }) };
  }

  async subscribe(accountId: number, planCode: string): Promise<void> {
    const nowMs = Date.now();
    const span = { startsAtMs: nowMs - 1_000, endsAtMs: nowMs + 86_400_000 };
    const granted = await grantSubscription(this.world.database, { accountId, planCode, ...span });
    if (granted.kind !== 'granted') throw new Error(granted.kind);
    await announceAndWait(this.world.database);
  }

  /** One call with a key, to its end. */
  async call(key: string, model = 'gpt', words = 'tokens=40'): Promise<Response> {
    const content = `a prompt of some words [[sim ${words}]]`;
    const body = { model, messages: [{ role: 'user', content }] };
    const response = await this.world.post('/v1/chat/completions', body, this.world.headers(key));
    return new Response(await response.text(), { status: response.status, headers: response.headers });
  }
}

/** The code of the gateway's or of the platform's answer. */
export async function codeOf(response: Response): Promise<number> {
  return ((await response.json()) as { code?: number }).code ?? 0;
}

/** A key of the member's own, made as a client makes it. */
export async function newKey(member: Member, body: object = {}): Promise<{ id: number; api_key: string }> {
  const { body: answer } = await member.ask('POST', '/api-key', { name: 'a key', ...body });
  if (answer.code !== 0) throw new Error(answer.message);
  return answer.data;
}
