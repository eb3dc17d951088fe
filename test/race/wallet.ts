import { systemRandom } from '../../src/kernel/random.ts';
import { updateAccount } from '../../src/store/accounts/accounts.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { grantSubscription } from '../../src/store/accounts/subscriptions.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { accountWith } from '../support/calls.ts';
import { sleep } from '../support/processes.ts';
import type { Target } from './arena.ts';

export const MICRO = 1_000_000n;
const DAY_MS = 86_400_000;

/** An account of the test's own, with a known sum of money. */
export interface Wallet {
  readonly accountId: number;
  readonly key: string;
  readonly keyId: number;
  newKey(policyId: number): Promise<string>;
  /** What the store says now; Credits and yuan in millionths. */
  funds(): Promise<Funds>;
}

export interface Funds {
  readonly credits: bigint;
  readonly balance: bigint;
  readonly monthSpent: bigint;
}

export interface WalletOptions {
  readonly credits: number;
  /** Yuan. */
  readonly balance?: number;
  readonly autoExchange?: boolean;
  /** Yuan; the monthly cap. */
  readonly cap?: number;
  readonly apiBilling?: boolean;
  /** A subscription that runs now. */
  readonly plan?: string;
  /** Of the key. */
  readonly policyId?: number;
}

export const micro = (amount: number): bigint => BigInt(Math.round(amount * Number(MICRO)));

interface Books {
  readonly database: Database;
}

export async function openWallet({ database }: Books, options: WalletOptions): Promise<Wallet> {
  const accountId = await accountWith(database, {
    creditsMicro: micro(options.credits),
    balanceMicro: micro(options.balance ?? 0),
    autoExchange: options.autoExchange ?? false,
  });
  const { cap, apiBilling = true } = options;
  await updateAccount(database, accountId, { apiBilling, extraApiQuotaMicro: micro(cap ?? 0) });
  if (options.plan !== undefined) await subscribe(database, accountId, options.plan);
  const newKey = async (policyId: number | undefined): Promise<{ id: number; text: string }> => {
    const wanted = { accountId, name: 'race', policyId, expiresAtMs: undefined, status: 'enabled' } as const;
    const created = await createKey(database, wanted, systemRandom);
    if (created.kind !== 'created') throw new Error(created.kind);
    return { id: created.key.id, text: created.text };
  };
  const { id: keyId, text: key } = await newKey(options.policyId);
  await announceAndWait(database);
  return {
    accountId,
    key,
    keyId,
    newKey: async (policyId) => (await newKey(policyId)).text,
    funds: () => fundsOf(database, accountId),
  };
}

async function fundsOf(database: Database, accountId: number): Promise<Funds> {
  const [row] = await database.query<Funds>(
    `select credits_micro as credits, balance_micro as balance, month_spent_micro as "monthSpent"
     from accounts where id = $1`,
    [accountId],
  );
  if (row === undefined) throw new Error('the account is gone');
  return row;
}

async function subscribe(database: Database, accountId: number, planCode: string): Promise<void> {
  const startsAtMs = Date.now() - 1_000;
  const span = { startsAtMs, endsAtMs: startsAtMs + DAY_MS };
  const granted = await grantSubscription(database, { accountId, planCode, ...span });
  if (granted.kind !== 'granted') throw new Error(granted.kind);
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
  /** Tokens the client allows; nothing: it does not say. */
  readonly max?: number;
  readonly directive: string;
  readonly stream?: boolean;
}

/** One chat call, read to its end, however it ends. */
export function ask(
  { url }: Target,
  { key, model = 'round', max, directive, stream }: Ask,
): Promise<Answered> {
  return post(`${url}/v1/chat/completions`, key, {
    model,
    messages: [{ role: 'user', content: `[[sim ${directive}]]` }],
    ...(max === undefined ? {} : { max_completion_tokens: max }),
    ...(stream === true ? { stream: true } : {}),
  });
}

/** One call for so many pictures, at a hundred Credits each. */
export function askImages(
  { url }: Target,
  { key, images }: { readonly key: string; readonly images: number },
): Promise<Answered> {
  return post(`${url}/v1/images/generations`, key, {
    model: 'painter',
    prompt: 'a gate',
    n: images,
    quality: 'low',
  });
}

const TRIES_MAX = 50;

/** A gate that does not answer in time, on a busy machine, has let nobody in: such a call asks again. */
async function post(url: string, key: string, body: object): Promise<Answered> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const { status } = response;
    const text = await readAll(response);
    const code = status === 200 ? undefined : (JSON.parse(text) as { readonly code?: number }).code;
    if (code !== 50301 || tries === TRIES_MAX) return { status, code, headers: response.headers, text };
    await sleep(200);
  }
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

/** What the database knows of an account's served calls, by who paid; Credits and yuan in millionths. */
export interface Paid {
  readonly payer: string;
  readonly calls: bigint;
  readonly amount: bigint;
  readonly charge: bigint;
  readonly taken: bigint;
  readonly shortfall: bigint;
}

export function paidBy({ database }: Books, accountId: number): Promise<readonly Paid[]> {
  return database.query<Paid>(
    `select c.payer, count(*) as calls, sum(c.amount_micro)::bigint as amount,
       sum(c.charge_micro)::bigint as charge, sum(s.credits_micro)::bigint as taken,
       sum(s.shortfall_micro)::bigint as shortfall
     from calls c join consumptions s using (created_at, call_id)
     where c.account_id = $1 group by c.payer order by c.payer desc`,
    [accountId],
  );
}

/** What all entries of an account's ledger come to, by pool; it must be what its row says. */
export async function ledgerSums(
  { database }: Books,
  accountId: number,
): Promise<Pick<Funds, 'credits' | 'balance'>> {
  const rows = await database.query<{ pool: 'credits' | 'balance'; sum: bigint }>(
    `select pool, sum(change_micro)::bigint as sum from ledger_entries where account_id = $1 group by pool`,
    [accountId],
  );
  const sums = { credits: 0n, balance: 0n };
  for (const { pool, sum } of rows) sums[pool] = sum;
  return sums;
}
