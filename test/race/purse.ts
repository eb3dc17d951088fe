import { systemRandom } from '../../src/kernel/random.ts';
import { updateAccount } from '../../src/store/accounts.ts';
import { createKey } from '../../src/store/api-keys.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { accountWith } from '../support/calls.ts';
import type { World } from '../support/world.ts';

const MICRO = 1_000_000n;

/** An account of the test's own, with a known sum of money. */
export interface Purse {
  readonly accountId: number;
  readonly key: string;
  newKey(policyId: number): Promise<string>;
  /** What the store says now; Credits and yuan in millionths. */
  funds(): Promise<Funds>;
}

export interface Funds {
  readonly credits: bigint;
  readonly balance: bigint;
  readonly monthSpent: bigint;
}

export interface PurseOptions {
  readonly credits: number;
  /** Yuan. */
  readonly balance?: number;
  readonly autoExchange?: boolean;
  /** Yuan; the monthly cap. */
  readonly cap?: number;
}

const micro = (amount: number): bigint => BigInt(Math.round(amount * Number(MICRO)));

export async function openPurse(world: World, options: PurseOptions): Promise<Purse> {
  const { database } = world;
  const accountId = await accountWith(database, {
    creditsMicro: micro(options.credits),
    balanceMicro: micro(options.balance ?? 0),
    autoExchange: options.autoExchange ?? false,
  });
  if (options.cap !== undefined) {
    await updateAccount(database, accountId, { extraApiQuotaMicro: micro(options.cap) });
  }
  const newKey = async (policyId: number | undefined): Promise<string> => {
    const wanted = { accountId, name: 'race', policyId, expiresAtMs: undefined, status: 'enabled' } as const;
    const created = await createKey(database, wanted, systemRandom);
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.text;
  };
  const key = await newKey(undefined);
  await announceAndWait(database);
  return {
    accountId,
    key,
    newKey,
    funds: async () => {
      const [row] = await database.query<Funds>(
        `select credits_micro as credits, balance_micro as balance, month_spent_micro as "monthSpent"
         from accounts where id = $1`,
        [accountId],
      );
      if (row === undefined) throw new Error('the account is gone');
      return row;
    },
  };
}

/** An answer as far as races care. */
export interface Answered {
  readonly status: number;
  readonly code: number | undefined;
  readonly headers: Headers;
  readonly text: string;
}

export interface Ask {
  readonly key: string;
  readonly model?: string;
  /** Tokens the client allows. */
  readonly max: number;
  readonly directive: string;
  readonly stream?: boolean;
}

/** One chat call, read to its end, however it ends. */
export async function ask(
  world: World,
  { key, model = 'round', max, directive, stream }: Ask,
): Promise<Answered> {
  const response = await world.post(
    '/v1/chat/completions',
    {
      model,
      messages: [{ role: 'user', content: `[[sim ${directive}]]` }],
      max_completion_tokens: max,
      ...(stream === true ? { stream: true } : {}),
    },
    world.headers(key),
  );
  const { status, headers } = response;
  const text = await readAll(response);
  const code = status === 200 ? undefined : (JSON.parse(text) as { readonly code?: number }).code;
  return { status, code, headers, text };
}

/** A stream that is reset has an end too: what came before counts. */
async function readAll(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    return text;
  }
  return text;
}

export function parallel<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** How often each outcome came: `200` or our own code. */
export function tally(answers: readonly Answered[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) counts[code ?? status] = (counts[code ?? status] ?? 0) + 1;
  return counts;
}

/** `round`: input is free, an output token costs a tenth of a Credit, so that prices are known before. */
export const RACE_CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors: [{ code: openai, name: OpenAI, protocols: [chat], base_url: "\${SIM}/v1" }]
credentials: [{ name: main, vendor: openai, secret: sk-sim-openai }]
models:
  - model_id: round
    prices: { input: "0", output: "100" }
    max_output_tokens: 128000
    routes: [{ vendor: openai, credential: main, forward_model_id: gpt-5-2026-08-01, protocols: [chat] }]
policies:
  - { id: 1, name: default, concurrency: 100000, windows: [] }
  - { id: 2, name: one, windows: [{ dimension: requests, seconds: 3600, limit: 1 }] }
  - { id: 3, name: ten, windows: [{ dimension: requests, seconds: 3600, limit: 10 }] }
  - { id: 4, name: seven-at-once, concurrency: 7, windows: [] }
  - { id: 5, name: short, windows: [{ dimension: requests, seconds: 4, limit: 3 }] }
  - { id: 6, name: both, concurrency: 2, windows: [{ dimension: requests, seconds: 3600, limit: 5 }] }
  - { id: 7, name: tokens, windows: [{ dimension: tokens, seconds: 3600, limit: 100 }] }
accounts: [{ email: user@example.com, password: "a test password", user_type: 1, credits: "50000" }]
`;
